# The variables that a policy reads, with their types. `hclvm check FOLDER --schema scope.hcl` checks policies by them.

request = object({
  id       = string
  method   = string
  path     = string
  query    = map(string)
  host     = string
  scheme   = string
  protocol = string
  headers  = map(string)
  body     = string
  size     = number
  unix_ms  = number
})

source = object({
  address     = string
  port        = number
  principal   = string
  service     = string
  certificate = string
  labels      = map(string)
})

destination = object({
  address     = string
  port        = number
  principal   = string
  service     = string
  certificate = string
  labels      = map(string)
})

context_extensions = map(string)
metadata           = any
route_metadata     = any

tls = object({
  sni = string
})

# Of requests with the API of AuthZEN.
subject = object({
  type       = string
  id         = string
  properties = any
})

action = object({
  name       = string
  properties = any
})

resource = object({
  type       = string
  id         = string
  properties = any
})

context = any

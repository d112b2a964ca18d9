# The user, as Envoy's filter jwt_authn has verified it, and networks without access.

locals {
  claims   = try(metadata["envoy.filters.http.jwt_authn"].payload, {})
  user     = try(local.claims.sub, "")
  is_admin = contains(try(local.claims.groups, []), "admin")
  blocked  = ["198.51.100.0/24", "203.0.113.0/24"]
}

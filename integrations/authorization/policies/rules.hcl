# Who may use the API. The first rule that applies decides; if none does, the request is denied with status 403.

rule "probe" {
  when   = request.method == "GET" && request.path == "/healthz"
  effect = "allow"
}

# `cidrcontains` has an error for an address of the other version of IP.
rule "blocked-network" {
  when   = anytrue([for range in local.blocked : try(cidrcontains(range, source.address), false)])
  effect = "deny"
  reason = "requests from ${source.address} are blocked"
}

# Services of the mesh are known by their certificates.
rule "mesh" {
  when    = startswith(source.principal, "spiffe://example.org/")
  effect  = "allow"
  headers = { x-caller = source.principal }
}

rule "login" {
  when             = local.user == ""
  effect           = "deny"
  status           = 401
  body             = "Log in first.\n"
  response_headers = { www-authenticate = "Bearer realm=\"api\"", content-type = "text/plain" }
}

rule "own-account" {
  when           = startswith(request.path, "/accounts/${local.user}/")
  effect         = "allow"
  reason         = "account of ${local.user}"
  headers        = { x-user = local.user }
  remove_headers = ["authorization"]
}

rule "admin" {
  when             = local.is_admin && try(request.query.confirm, "no") == "yes"
  effect           = "allow"
  reason           = "an administrator confirmed it"
  headers          = { x-user = local.user, x-admin = true }
  remove_headers   = ["authorization"]
  response_headers = { x-audited = true }
}

# Access to documents, as it is now.
locals {
  office_hours = hour >= 8 && hour < 18
  is_member    = contains(user.groups, resource.group)
}

rule "suspended" {
  when   = user.suspended
  effect = "deny"
  reason = "${user.name} is suspended"
}

rule "admin" {
  when   = user.role == "admin"
  effect = "allow"
}

rule "owner" {
  when   = user.name == resource.owner
  effect = "allow"
  reason = "owner of ${resource.kind} ${id}"
}

rule "member-reads" {
  when   = method == "GET" && local.is_member
  effect = "allow"
}

rule "member-writes" {
  when   = method == "PUT" && local.is_member && local.office_hours && resource.size < 1000000
  effect = "allow"
}

rule "public" {
  when   = method == "GET" && resource.public
  effect = "allow"
}

rule "locked" {
  when   = resource.locked && method != "GET"
  effect = "deny"
}

# Access to documents, as it is proposed: administrators need a second factor to write, members write at any hour but
# less, and nothing of the kind "contract" is public.
locals {
  is_member = contains(user.groups, resource.group)
}

rule "suspended" {
  when   = user.suspended
  effect = "deny"
  reason = "${user.name} is suspended"
}

rule "admin" {
  when   = user.role == "admin" && (user.mfa || method == "GET")
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
  when   = method == "PUT" && local.is_member && resource.size < 500000
  effect = "allow"
}

rule "public" {
  when   = method == "GET" && resource.public && resource.kind != "contract"
  effect = "allow"
}

rule "locked" {
  when   = resource.locked && method != "GET"
  effect = "deny"
}

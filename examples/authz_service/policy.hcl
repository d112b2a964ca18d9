# Who may do what with a document. The first rule that applies decides; without one the effect is deny.

locals {
  writes = contains(["PUT", "DELETE"], action)
}

rule "locked" {
  when   = local.writes && resource.locked
  effect = "deny"
  reason = "${resource.id} is locked"
}

rule "owner" {
  when        = user.id == resource.owner
  effect      = "allow"
  reason      = "owner of ${resource.id}"
  obligations = { audit = local.writes }
}

rule "readers" {
  when   = !local.writes && contains(resource.readers, user.id)
  effect = "allow"
  reason = "reader"
}

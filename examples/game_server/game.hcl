# The tuning of a game, per player. Edit it while the server runs.

locals {
  tier  = player.rank >= 20 ? "gold" : player.rank >= 10 ? "silver" : "bronze"
  bonus = { bronze = 0, silver = 5, gold = 12 }[local.tier]
}

revision = 0
speed    = 5.5 + local.bonus / 10
health   = 100 + 12 * player.rank + local.bonus
greeting = "Welcome, ${player.name} (${local.tier})"

weapon "sword" {
  damage = floor(10 * (1 + 0.08 * player.rank))
}

weapon "bow" {
  damage = floor(7 * (1 + 0.1 * player.rank))
  range  = 30 + local.bonus
}

# Equal to `revision`: an answer with two numbers would mix two files.
revision_again = 0

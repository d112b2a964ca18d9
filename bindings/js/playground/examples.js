// The examples of the menu.

export const examples = [
  {
    name: "A condition",
    mode: "expression",
    text: 'user.role == "admin" || (request.method == "GET" && !request.locked)',
    scope: { user: { role: "guest" }, request: { method: "GET", locked: true } },
  },
  {
    name: "For expressions and templates",
    mode: "expression",
    text: `{
  for item in items : item.name => "\${item.price * (1 - discount)} €"
  if item.stock > 0
}`,
    scope: {
      discount: 0.2,
      items: [
        { name: "lamp", price: 49.9, stock: 3 },
        { name: "desk", price: 320, stock: 0 },
        { name: "chair", price: 129.5, stock: 12 },
      ],
    },
  },
  {
    name: "A configuration",
    mode: "file",
    text: `locals {
  base  = 8000
  hosts = [for zone in zones : "\${name}.\${zone}.example.org"]
}

service "web" {
  port     = local.base + 80
  replicas = production ? 6 : 1
  hosts    = local.hosts

  dynamic "volume" {
    for_each = ["logs", "cache"]
    content {
      path = "/var/\${name}/\${volume.value}"
    }
  }
}

checksum = upper(join("-", reverse(split(".", version))))
`,
    scope: { name: "shop", production: true, zones: ["north", "south"], version: "2.14.1" },
  },
  {
    name: "An authorization policy",
    mode: "policy",
    text: `rule "suspended" {
  when   = user.suspended
  effect = "deny"
  reason = "\${user.id} is suspended"
}

rule "owner" {
  when   = user.id == resource.owner
  effect = "allow"
  reason = "\${user.id} owns \${resource.id}"
}

rule "reader" {
  when   = request.method == "GET" && contains(user.groups, resource.group)
  effect = "allow"
}
`,
    scope: {
      user: { id: "ann", suspended: false, groups: ["staff"] },
      resource: { id: "doc-7", owner: "bob", group: "staff" },
      request: { method: "GET" },
    },
  },
  {
    name: "Mistakes and how they are reported",
    mode: "file",
    text: `names  = [for u in users : uper(u.name)]
total  = sum([for u in users : u.agee])
first  = users[7].name
`,
    scope: {
      users: [
        { name: "ann", age: 41 },
        { name: "bob", age: 29 },
      ],
    },
  },
];

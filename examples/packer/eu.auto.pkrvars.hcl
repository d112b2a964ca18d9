region   = "eu-west-1"
packages = ["nginx", "curl"]

disks = {
  data = { path = "/srv", size = 100, filesystem = "xfs" }
  logs = { path = "/var/log/web", size = 20 }
}

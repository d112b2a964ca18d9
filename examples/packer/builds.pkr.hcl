build {
  name = "base"

  source "source.amazon-ebs.server" {
    name = "large"
    tags = { build = "base", size = "large" }
  }
  source "source.docker.server" {
    changes = ["USER web"]
  }

  provisioner "shell" {
    inline  = ["apt-get install -y ${join(" ", local.packages)}"]
    timeout = "10m"
  }

  dynamic "provisioner" {
    for_each = local.devices
    labels   = ["shell"]
    content {
      only = ["amazon-ebs.large"]
      inline = [
        "${provisioner.value.mkfs} ${provisioner.value.device}",
        "mkdir -p ${provisioner.value.path}",
      ]
    }
  }

  post-processor "manifest" {
    output      = "${build.name}-${source.name}.json"
    custom_data = { host = build.Host }
  }
}

build {
  name    = "release"
  sources = ["source.docker.server"]

  provisioner "file" {
    content     = var.deploy_key
    destination = "/etc/deploy.key"
  }

  post-processors {
    post-processor "docker-tag" {
      repository = "registry.example.com/web"
      tags       = [local.zone, "latest"]
    }
    post-processor "docker-push" {
    }
  }
}

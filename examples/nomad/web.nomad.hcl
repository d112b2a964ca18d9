variable "image_tag" {
  type        = string
  description = "The version of the application."
}

variable "ports" {
  type    = map(number)
  default = { http = 8080 }

  validation {
    condition     = min(values(var.ports)...) >= 1024
    error_message = "Ports below 1024 need privileges that the task does not have."
  }
}

variables {
  count       = 2
  datacenters = ["dc1", "dc2"]
}

locals {
  image = "registry.example.com/web:${var.image_tag}"
  env = {
    LOG_LEVEL = "info"
    WORKERS   = var.count * 2
  }
}

job "web" {
  datacenters = var.datacenters

  update {
    max_parallel     = 1
    min_healthy_time = "15s"
  }

  group "web" {
    count = var.count

    network {
      dynamic "port" {
        for_each = var.ports
        labels   = [port.key]
        content {
          to = port.value
        }
      }
    }

    constraint {
      attribute = attr.kernel.name
      value     = "linux"
    }
    constraint {
      attribute = "${attr.docker.version}"
      semver    = ">= 24.0"
    }

    dynamic "service" {
      for_each = keys(var.ports)
      content {
        name = "web-${service.value}"
        port = service.value
        tags = ["${node.datacenter}", "v${var.image_tag}"]

        check {
          type     = "http"
          path     = "/health"
          interval = "10s"
          timeout  = "2s"
        }
      }
    }

    task "server" {
      driver = "docker"

      config {
        image = local.image
        ports = keys(var.ports)

        logging {
          type = "journald"
        }
        mount {
          type   = "bind"
          source = "${NOMAD_ALLOC_DIR}/cache"
          target = "/cache"
        }
      }

      // Keys that are no names are written as an object.
      env = merge(local.env, { "web.address" = "${NOMAD_ADDR_http}" })

      template {
        destination = "local/app.conf"
        data        = <<-EOT
          image = ${local.image}
          host  = {{ env "HOSTNAME" }}
          zone  = ${meta.zone}
        EOT
      }

      kill_timeout = "30s"
    }
  }
}

# A fleet of services: what examples/service_config.rs decodes.

fleet  = "storefront"
region = "${continent}-${zone}"
admins = ["ann@example.com", "bob@example.com"]

defaults {
  replicas = 2
  timeout  = "30s"
  retries  = 3
  labels = {
    team = "payments"
    tier = "gold"
  }
}

listener "http" {
  port     = 80
  redirect = "https"
}

listener "https" {
  port = 443
  tls {
    certificate = "/etc/tls/${continent}.pem"
    key         = "/etc/tls/${continent}.key"
    versions    = ["1.2", "1.3"]
  }
}

service "web" "frontend" {
  image    = "registry.example.com/storefront/web:2.4.1"
  replicas = production ? 6 : 1
  command  = ["serve", "--port", "8080"]

  resources {
    cpu    = 0.5
    memory = 512 * 1024 * 1024
  }

  health {
    path     = "/healthz"
    interval = "10s"
  }

  env = {
    REGION    = "${continent}-${zone}"
    LOG_LEVEL = production ? "info" : "debug"
    FEATURES  = join(",", sort(["search", "cart", "wishlist"]))
  }

  dynamic "port" {
    for_each = { http = 8080, metrics = 9100 }
    content {
      name   = port.key
      number = port.value
    }
  }

  route "/" {
    methods = ["GET", "HEAD"]
  }

  route "/cart" {
    methods    = ["GET", "POST", "DELETE"]
    rate_limit = 50
  }
}

service "web" "admin" {
  image    = "registry.example.com/storefront/admin:1.9.0"
  replicas = 1

  resources {
    cpu    = 0.25
    memory = 256 * 1024 * 1024
  }

  port {
    name   = "http"
    number = 8090
  }

  route "/" {
    methods = ["GET", "POST"]
    allow   = ["10.0.0.0/8"]
  }
}

service "worker" "mailer" {
  image    = "registry.example.com/storefront/mailer:3.1.0"
  replicas = max(1, floor(customers / 10000))
  command  = ["work", "--queue", "mail"]

  resources {
    cpu    = 1
    memory = 1024 * 1024 * 1024
  }

  env = {
    SENDER = "no-reply@example.com"
    BATCH  = "${50 * 2} a minute"
  }

  schedule {
    cron = "*/5 * * * *"
    jobs = [for n in range(3) : "digest-${n}"]
  }
}

service "worker" "indexer" {
  image    = "registry.example.com/storefront/indexer:0.8.2"
  replicas = 2

  resources {
    cpu    = 2
    memory = 4 * 1024 * 1024 * 1024
  }

  dynamic "port" {
    for_each = production ? [9200, 9300] : []
    iterator = p
    content {
      name   = "index-${p.key}"
      number = p.value
    }
  }
}

store "postgres" {
  host     = "db.${zone}.internal"
  port     = 5432
  database = "storefront"
}

cache "redis" {
  nodes  = ["cache-a:6379", "cache-b:6379"]
  memory = 512 * 1024 * 1024
}

alert "latency" {
  when     = "p99 > 250ms"
  notify   = ["ann@example.com"]
  severity = "page"
}

alert "errors" {
  when     = "rate(5xx) > 0.01"
  notify   = ["bob@example.com", "ann@example.com"]
  severity = "ticket"
}

maintenance {}

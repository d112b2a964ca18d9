# Settings of the service, with the value of each that is used without it.

listen {
  grpc    = "0.0.0.0:9191" # by default not served
  http    = "0.0.0.0:9192" # by default not served
  authzen = "0.0.0.0:9194" # by default not served
  admin   = "0.0.0.0:9193" # by default not served

  http_prefix  = ""
  status_texts = false # true shows lines of a rejected policy on the admin address
}

policy {
  path      = "policies" # a file or a folder, relative to this file
  combining = "first"    # or "deny-overrides"
}

denial {
  status       = 403
  fault_status = 403
  fail_open    = false
}

limits {
  fuel         = 1000000
  memory_bytes = 8388608
  time_ms      = 50
  body_bytes   = 65536
  connections  = 1024 # of each address
  header_ms    = 10000
  idle_ms      = 300000
  # threads    = 4       # by default one for each core
}

decision_log {
  path   = "-" # a file, or the standard output; without this block, there is no log
  masks  = ["request.headers.authorization", "request.headers.cookie", "request.headers.proxy-authorization"]
  sample = 1

  # rotate_bytes = 104857600 # renames the file to path.1, and keeps rotate_kept of these; SIGHUP reopens it
  # rotate_kept  = 5
}

shutdown {
  delay_ms = 0
  drain_ms = 10000
}

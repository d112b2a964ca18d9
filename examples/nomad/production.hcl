image_tag = "2.7.1"

ports = {
  admin = 9090
  http  = 8080
}

packer {
  required_version = ">= 1.9"
}

// The newest base image, which the host looks up.
data "amazon-ami" "base" {
  region      = var.region
  most_recent = true
  owners      = ["099720109477"]

  filters = {
    name                = "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*"
    virtualization-type = "hvm"
  }
}

locals {
  packages = sort(distinct(concat(["curl", "jq"], var.packages)))
  prefix   = "web-${local.zone}"
  zone     = split("-", var.region)[0]

  devices = {
    for index, name in keys(var.disks) : name => {
      device = "/dev/xvd${substr("bcdefgh", index, 1)}"
      mkfs   = "mkfs.${var.disks[name].filesystem}"
      path   = var.disks[name].path
    }
  }
}

source "amazon-ebs" "server" {
  region        = var.region
  source_ami    = data.amazon-ami.base.id
  instance_type = "t3.small"
  ami_name      = "${local.prefix}-${source.name}"
  ssh_username  = "ubuntu"

  dynamic "launch_block_device_mappings" {
    for_each = var.disks
    iterator = disk
    content {
      device_name = local.devices[disk.key].device
      volume_size = disk.value.size
    }
  }
}

source "docker" "server" {
  image  = "ubuntu:22.04"
  commit = true
}

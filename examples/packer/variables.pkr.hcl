variable "region" {
  type        = string
  description = "The region in which images are built."

  validation {
    condition     = can(regex("^(eu|us)-[a-z]+-[0-9]$", var.region))
    error_message = "The region is the name of one in Europe or the United States, such as eu-west-1."
  }
}

variable "packages" {
  type        = list(string)
  description = "What is installed beside the base system."
  default     = []
}

variable "disks" {
  description = "Sizes of additional disks in GB, with their mount points."
  type = map(object({
    path       = string
    size       = number
    filesystem = optional(string, "ext4")
  }))
  default = {}

  validation {
    condition     = alltrue([for disk in var.disks : disk.size >= 8])
    error_message = "A disk has 8 GB at least."
  }
}

variable "deploy_key" {
  type      = string
  default   = "none"
  sensitive = true
}

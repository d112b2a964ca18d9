# Volumes are encrypted, and a backup plan names each of them.

input "largest" {
  type    = number
  default = 500
}

resource_policy "aws_ebs_volume" "encrypted" {
  enforce {
    condition     = attrs.encrypted == true
    error_message = "The volume is not encrypted."
  }

  enforce {
    condition     = attrs.size <= input.largest
    error_message = "${attrs.size} GiB are more than ${input.largest}."
  }
}

resource_policy "aws_ebs_volume" "backed_up" {
  enforcement_level = "advisory"
  filter            = core::try(attrs.tags["env"], "") == "prod"

  locals {
    plans = core::getresources("aws_backup_selection", { volume = attrs.id })
  }

  enforce {
    condition     = core::length(local.plans) > 0
    error_message = "No backup plan names the volume."
  }
}

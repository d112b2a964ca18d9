policytest {
  targets = ["volumes.policy.hcl"]
}

resource "aws_ebs_volume" "small" {
  attrs = { id = "vol-1", encrypted = true, size = 20, tags = { env = "prod" } }
}

resource "aws_backup_selection" "daily" {
  attrs = { volume = aws_ebs_volume.small.id }
}

resource "aws_ebs_volume" "large" {
  expect_failure = true
  attrs          = { id = "vol-2", encrypted = true, size = 600 }
}

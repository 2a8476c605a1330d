variable "title" { type = string }

resource "terraform_data" "guest" {}
resource "terraform_data" "password" {}

locals {
  guest    = "guest-${substr(terraform_data.guest.id, 0, 8)}"
  password = replace(terraform_data.password.id, "-", "")
}

output "username" { value = local.guest }
output "password" {
  value     = local.password
  sensitive = true
}
output "uri" {
  value     = "guestbook://${local.guest}:${local.password}@localhost/${var.title}"
  sensitive = true
}

variable "format" { type = string }
variable "owner" { type = string }
variable "pages" { type = number }
variable "title" { type = string }

resource "terraform_data" "notebook" {
  input = {
    pages  = var.pages
    format = var.format
  }
  triggers_replace = var.owner
}

output "notebook_id" { value = terraform_data.notebook.id }
output "title" { value = var.title }
output "status" { value = "${var.title}, ${var.pages} pages of ${var.format}" }

variable "title" { type = string }
variable "pages" { type = number }
variable "paper" { type = string }
variable "seconds" { type = number }

# Nothing of a cloud: the book is kept in the state.
resource "terraform_data" "book" {
  input = {
    title = var.title
    pages = var.pages
    paper = var.paper
  }
  lifecycle {
    precondition {
      condition     = var.paper != "handmade"
      error_message = "There is no handmade paper left."
    }
  }
}

resource "terraform_data" "work" {
  triggers_replace = [var.seconds, var.paper]
  provisioner "local-exec" {
    command = "echo The bookbinder begins. && sleep ${var.seconds}"
  }
}

output "title" { value = var.title }
output "cover" { value = "${var.title}, ${var.pages} pages of ${var.paper} paper" }
output "status" { value = "The guestbook ${var.title} is bound." }

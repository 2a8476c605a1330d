variable "database" { type = string }
variable "address" { type = string }

resource "terraform_data" "name" {}
resource "terraform_data" "password" {}

locals {
  user     = "u_${substr(replace(terraform_data.name.id, "-", ""), 0, 12)}"
  password = replace(terraform_data.password.id, "-", "")
}

resource "terraform_data" "user" {
  input = local.user
  provisioner "local-exec" {
    # On standard input, where nobody reads it in a list of processes.
    command     = "printf %s \"$STATEMENTS\" | psql -X -q -v ON_ERROR_STOP=1 -d postgres"
    environment = {
      STATEMENTS = "CREATE ROLE ${local.user} LOGIN PASSWORD '${local.password}' IN ROLE ${var.database}; ALTER ROLE ${local.user} SET role TO ${var.database};"
    }
  }
  provisioner "local-exec" {
    when    = destroy
    command = <<-EOT
      psql -X -q -v ON_ERROR_STOP=1 -d postgres -c "DROP ROLE IF EXISTS ${self.input}" \
        -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${self.input}'"
    EOT
  }
}

output "username" { value = local.user }
output "password" {
  value     = local.password
  sensitive = true
}
output "uri" {
  value     = "postgres://${local.user}:${local.password}@${var.address}/${var.database}"
  sensitive = true
}

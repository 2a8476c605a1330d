variable "connections" { type = number }

resource "terraform_data" "name" {}

locals {
  name = "db_${substr(replace(terraform_data.name.id, "-", ""), 0, 12)}"
}

# Made by the client of PostgreSQL: a provider for it would do the same with less writing, and must be brought along.
resource "terraform_data" "database" {
  input = local.name
  provisioner "local-exec" {
    command = <<-EOT
      psql -X -q -v ON_ERROR_STOP=1 -d postgres -c "CREATE ROLE ${self.input} NOLOGIN" \
        -c "CREATE DATABASE ${self.input} OWNER ${self.input}" -c "REVOKE ALL ON DATABASE ${self.input} FROM PUBLIC"
    EOT
  }
  provisioner "local-exec" {
    when    = destroy
    command = <<-EOT
      psql -X -q -v ON_ERROR_STOP=1 -d postgres -c "DROP DATABASE IF EXISTS ${self.input} WITH (FORCE)" \
        -c "DROP ROLE IF EXISTS ${self.input}"
    EOT
  }
}

resource "terraform_data" "connections" {
  triggers_replace = [terraform_data.database.id, var.connections]
  provisioner "local-exec" {
    command = "psql -X -q -v ON_ERROR_STOP=1 -d postgres -c 'ALTER DATABASE ${local.name} CONNECTION LIMIT ${var.connections}'"
  }
}

output "database" { value = local.name }
output "status" { value = "The database ${local.name} is there." }

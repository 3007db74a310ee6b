import CarillonSQL

/// Templates, in SQL on one connection.
struct TemplateTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var templates: TemplateTable { TemplateTable(connection: self) }
}

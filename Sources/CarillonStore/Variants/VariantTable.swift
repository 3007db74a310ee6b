import CarillonSQL

/// Results of a Campaign's variants, in SQL on one connection.
struct VariantTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var variants: VariantTable { VariantTable(connection: self) }
}

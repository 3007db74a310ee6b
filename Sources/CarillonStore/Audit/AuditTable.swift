import CarillonSQL

/// The audit log, in SQL on one connection.
struct AuditTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var auditLog: AuditTable { AuditTable(connection: self) }
}

package import CarillonSQL

/// Rows that are older than they may be, in SQL on one connection.
package struct RetentionQueries {
    let connection: any SQLConnection
}

extension SQLConnection {
    package var retention: RetentionQueries { RetentionQueries(connection: self) }
}

import CarillonSQL

/// What the examination of a server asks, in SQL on one connection.
struct ExaminationQueries {
    let connection: any SQLConnection
}

extension SQLConnection {
    var examination: ExaminationQueries { ExaminationQueries(connection: self) }
}

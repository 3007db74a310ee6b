import StoreErrors

/// PostgreSQL's five-character error code; unknown codes are stored unchanged.
struct SQLState: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    static let uniqueViolation = SQLState(rawValue: "23505")
    static let readOnly = SQLState(rawValue: "25006")
    static let idleInTransaction = SQLState(rawValue: "25P03")
    static let serializationFailure = SQLState(rawValue: "40001")
    static let deadlock = SQLState(rawValue: "40P01")
    static let diskFull = SQLState(rawValue: "53100")
    static let lockNotAvailable = SQLState(rawValue: "55P03")
    static let queryCanceled = SQLState(rawValue: "57014")
    /// No code: the connection broke.
    static let none = SQLState(rawValue: "")

    /// The first two characters.
    var category: Substring { rawValue.prefix(2) }
}

/// A failure on a connection.
struct PostgreSQLFailure: Error, Hashable, Sendable {
    /// The consequence of a failure.
    enum Kind: Hashable, Sendable {
        /// The connection is unusable.
        case lost
        /// Another transaction was in the way; a repetition may succeed.
        case raced
        /// A repetition would fail again.
        case lasting
    }

    let kind: Kind
    let error: StoreError
    /// The server's code; ``SQLState/none`` when the server did not report the failure.
    private(set) var state = SQLState.none

    /// Creates a failure from the server's report.
    ///
    /// - Parameters:
    ///   - state: The code.
    ///   - message: The primary message. It is passed on only where it names our tables and columns; elsewhere it may
    ///     contain values.
    init(_ state: SQLState, _ message: String) {
        switch state {
        case .none: self = .lost
        case .uniqueViolation, .serializationFailure, .deadlock, .lockNotAvailable:
            self.init(.raced, .unavailable("Other writes were in the way (PostgreSQL code \(state.rawValue))."))
        case .readOnly, .idleInTransaction:
            self.init(.lost, .unavailable("The database takes no writes (PostgreSQL code \(state.rawValue))."))
        case .diskFull: self.init(.lasting, .full)
        case .queryCanceled: self.init(.lasting, .unavailable("A read took too long."))
        default: self.init(category: state, message)
        }
        self.state = state
    }

    /// Whether another transaction's lock was in the way.
    var isBlocked: Bool { [.lockNotAvailable, .deadlock, .serializationFailure].contains(state) }

    private init(category state: SQLState, _ message: String) {
        let code = "PostgreSQL code \(state.rawValue)"
        switch state.category {
        case "08", "57": self.init(.lost, .unavailable("The database is not available (\(code))."))
        case "53", "58": self.init(.lasting, .unavailable("The database is out of resources (\(code))."))
        case "42", "0A", "25", "26", "34": self.init(.lasting, .failed("\(code): \(message)"))
        default: self.init(.lasting, .failed("\(code)."))
        }
    }

    private init(_ kind: Kind, _ error: StoreError) {
        self.kind = kind
        self.error = error
    }

    static let lost = PostgreSQLFailure(.lost, .unavailable("The connection to the database broke."))
    static let late = PostgreSQLFailure(.lost, .unavailable("The database did not answer in time."))
}

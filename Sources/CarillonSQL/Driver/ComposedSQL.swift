/// A statement that is put together at run time: an audience's, which has as many conditions as its operator wrote.
///
/// Its text is made of literals of ours alone; whatever comes from outside is a value, which is bound. Parameters are
/// numbered in the order of the text.
///
/// A connection keeps a few dozen prepared ones, by their text, and gives up those that were not used for longest.
package struct ComposedSQL: Sendable {
    /// What a parameter stands for.
    package enum Parameter: Hashable, Sendable {
        case value(SQLValue)
        /// Bound anew for each run.
        case slot(Slot)
    }

    /// A parameter that changes from run to run of one statement.
    package enum Slot: Hashable, Sendable, CaseIterable {
        case app
        /// The number before the first.
        case after
        /// The last number.
        case through
        /// How many rows.
        case limit
    }

    package private(set) var text = ""
    package private(set) var parameters: [Parameter] = []

    package init() {}

    /// A statement whose names come from our own schema.
    package init(ofOurs text: String) { self.text = text }

    /// Adds literal text.
    package mutating func append(_ literal: SQL) { text += literal.text }

    /// Adds a whole number as text, where PostgreSQL could not tell a parameter's type.
    package mutating func append(number: Int) { text += String(number) }

    /// Adds a parameter with its value.
    package mutating func bind(_ value: SQLValue) { appendParameter(.value(value)) }

    /// Adds a parameter that ``bind(to:slots:)`` fills; the same one wherever it is added.
    package mutating func bind(_ slot: Slot) { appendParameter(.slot(slot)) }

    /// Adds parameters with commas between them.
    package mutating func bind(list values: some Sequence<SQLValue>) {
        for (place, value) in values.enumerated() {
            if place > 0 { append(", ") }
            bind(value)
        }
    }

    /// The statement that tells how this one is run.
    package var explained: ComposedSQL {
        var explained = self
        explained.text = "EXPLAIN " + text
        return explained
    }

    /// Binds all parameters of the prepared statement.
    ///
    /// - Parameters:
    ///   - statement: What `prepare` gave for this text.
    ///   - value: What a slot is this time.
    package func bind(to statement: any SQLStatement, slots value: (Slot) -> Int64) {
        for (place, parameter) in parameters.enumerated() {
            switch parameter {
            case .value(let bound): bound.bind(to: statement, at: place + 1)
            case .slot(let slot): statement.bind(value(slot), at: place + 1)
            }
        }
    }

    private mutating func appendParameter(_ parameter: Parameter) {
        if let known = parameters.firstIndex(of: parameter), case .slot = parameter {
            text += "$\(known + 1)"
        } else {
            parameters.append(parameter)
            text += "$\(parameters.count)"
        }
    }
}

/// A value of one of the kinds that columns have.
package enum SQLValue: Hashable, Sendable {
    case integer(Int64)
    case number(Double)
    case text(String)
    case bytes([UInt8])
}

extension SQLValue: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        switch self {
        case .integer(let value): value.bind(to: statement, at: index)
        case .number(let value): value.bind(to: statement, at: index)
        case .text(let value): value.bind(to: statement, at: index)
        case .bytes(let value): value.bind(to: statement, at: index)
        }
    }
}

/// A connection's cache of prepared composed statements: the most recently used ones.
///
/// One that is evicted while in use lives on with its user.
struct ComposedStatements<Statement> {
    /// The maximum number: an audience that is being sent needs two or three.
    static var capacity: Int { 48 }

    private var statements: [String: Statement] = [:]
    /// The texts, the most recently used one last.
    private var order: [String] = []

    var count: Int { order.count }

    mutating func statement(_ text: String) -> Statement? {
        guard let statement = statements[text] else { return nil }
        if order.last != text, let place = order.firstIndex(of: text) {
            order.remove(at: place)
            order.append(text)
        }
        return statement
    }

    /// Adds a statement.
    ///
    /// - Returns: The statement that was evicted for it.
    @discardableResult
    mutating func insert(_ statement: Statement, of text: String) -> Statement? {
        statements[text] = statement
        order.append(text)
        guard order.count > Self.capacity else { return nil }
        return statements.removeValue(forKey: order.removeFirst())
    }
}

/// A key with any name or position.
///
/// A type of keys of its own, which Swift makes for each value that it codes by itself, takes three kilobytes in an app.
package struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    package let stringValue: String
    package let intValue: Int?

    package init(_ key: some CodingKey) { self.init(stringValue: key.stringValue) }

    package init(stringLiteral name: String) { self.init(stringValue: name) }

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

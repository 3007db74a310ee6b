import Foundation

/// A value that is created on first use.
///
/// Unchecked: `lock` protects it.
final class FirstUse<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var made: Value?

    func value(_ make: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        if let made { return made }
        let value = make()
        made = value
        return value
    }
}

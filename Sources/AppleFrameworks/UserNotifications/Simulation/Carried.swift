/// Transfers a value from one task to another.
///
/// Unchecked: the caller ensures that only one side uses it, or that nobody changes it any more, as the system does
/// with a notification.
package struct Carried<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

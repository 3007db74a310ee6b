import CarillonModel
import Foundation

/// A Device's public id is stored as the UUID's 16 bytes.
extension DeviceID {
    /// `nil` unless there are 16 bytes.
    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(rawValue: UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    }

    var bytes: [UInt8] { withBytes { Array($0) } }

    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try withUnsafeBytes(of: rawValue.uuid, body)
    }
}

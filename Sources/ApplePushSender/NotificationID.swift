import CarillonEngine
import CarillonModel
import Foundation

extension UUID {
    /// The `apns-id` of an Occurrence's notification to a Device: the same for every attempt, so that Apple's delivery
    /// log shows them together.
    ///
    /// A UUID of version 8 (RFC 9562, custom): 60 bits of the Occurrence's id and 62 bits of the Device's number.
    init(_ occurrence: OccurrenceID, _ device: DeviceNumber) {
        let number = UInt64(bitPattern: occurrence.rawValue)
        let high = (number >> 12) << 16 | 0x8000 | number & 0xFFF
        let low = 0x8000_0000_0000_0000 | UInt64(bitPattern: device.rawValue) & 0x3FFF_FFFF_FFFF_FFFF
        self.init(uuid: withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) })
    }
}

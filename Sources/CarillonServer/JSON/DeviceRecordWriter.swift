package import CarillonModel
package import NIOCore

/// Writes the answer to a registration without a `Codable` encoder, which would take longer than the store.
package enum DeviceRecordWriter {
    /// The record as JSON, the same value that `JSONEncoder` writes.
    package static func json(_ record: DeviceRecord) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: 640)
        buffer.writeStaticString("{\"device\":\"")
        buffer.writeString(record.device.description)
        buffer.writeStaticString("\",\"app\":\"")
        buffer.writeString(record.app.description)
        buffer.writeStaticString("\",\"tokenState\":\"")
        buffer.writeString(record.tokenState.rawValue)
        buffer.writeStaticString("\",\"pushType\":\"")
        buffer.writeString(record.pushType.rawValue)
        buffer.writeStaticString("\",\"consent\":{\"notifications\":")
        buffer.writeBool(record.consent.notifications)
        buffer.writeStaticString(",\"ads\":")
        buffer.writeBool(record.consent.ads)
        buffer.writeStaticString(",\"nightAds\":")
        buffer.writeBool(record.consent.nightAds)
        buffer.writeStaticString("}")
        write("user", record.user?.rawValue, to: &buffer)
        write("permission", record.permission?.rawValue, to: &buffer)
        write("language", record.language, to: &buffer)
        write("country", record.country, to: &buffer)
        write("timeZone", record.timeZone, to: &buffer)
        write("appVersion", record.appVersion, to: &buffer)
        write("osVersion", record.osVersion, to: &buffer)
        write("model", record.model, to: &buffer)
        write("sdkVersion", record.sdkVersion, to: &buffer)
        write("createdAt", record.createdAt.description, to: &buffer)
        write("registeredAt", record.registeredAt.description, to: &buffer)
        buffer.writeStaticString("}")
        return buffer
    }

    private static func write(_ name: StaticString, _ value: String?, to buffer: inout ByteBuffer) {
        guard let value else { return }
        buffer.writeStaticString(",\"")
        buffer.writeStaticString(name)
        buffer.writeStaticString("\":\"")
        if value.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            buffer.writeString(value)
        } else {
            for byte in value.utf8 { buffer.writeEscaped(byte) }
        }
        buffer.writeStaticString("\"")
    }
}

extension ByteBuffer {
    fileprivate mutating func writeBool(_ value: Bool) {
        writeStaticString(value ? "true" : "false")
    }

    fileprivate mutating func writeEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): writeStaticString("\\\"")
        case UInt8(ascii: "\\"): writeStaticString("\\\\")
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            writeString("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        default: writeInteger(byte)
        }
    }
}

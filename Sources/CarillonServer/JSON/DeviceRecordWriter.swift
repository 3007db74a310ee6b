package import CarillonModel
package import NIOCore

/// Writes the answer to a registration without a `Codable` encoder, which would take longer than the store.
package enum DeviceRecordWriter {
    /// The record as JSON, the same value that `JSONEncoder` writes.
    package static func json(_ record: DeviceRecord) -> ByteBuffer {
        var text: [UInt8] = []
        text.reserveCapacity(640)
        text.append("{\"device\":\"")
        text.append(contentsOf: record.device.description.utf8)
        text.append("\",\"app\":\"")
        text.append(contentsOf: record.app.description.utf8)
        text.append("\",\"tokenState\":\"")
        text.append(contentsOf: record.tokenState.rawValue.utf8)
        text.append("\",\"pushType\":\"")
        text.append(contentsOf: record.pushType.rawValue.utf8)
        text.append("\",\"consent\":{\"notifications\":")
        text.append(record.consent.notifications ? "true" : "false")
        text.append(",\"ads\":")
        text.append(record.consent.ads ? "true" : "false")
        text.append(",\"nightAds\":")
        text.append(record.consent.nightAds ? "true" : "false")
        text.append("}")
        text.append("user", record.user?.rawValue)
        text.append("permission", record.permission?.rawValue)
        text.append("language", record.language)
        text.append("country", record.country)
        text.append("timeZone", record.timeZone)
        text.append("appVersion", record.appVersion)
        text.append("osVersion", record.osVersion)
        text.append("model", record.model)
        text.append("sdkVersion", record.sdkVersion)
        text.append("createdAt", record.createdAt.description)
        text.append("registeredAt", record.registeredAt.description)
        text.append("}")
        return ByteBuffer(bytes: text)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    fileprivate mutating func append(_ name: StaticString, _ value: String?) {
        guard var value else { return }
        append(",\"")
        append(name)
        append("\":\"")
        value.withUTF8 { bytes in
            if bytes.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                append(contentsOf: bytes)
            } else {
                for byte in bytes { appendEscaped(byte) }
            }
        }
        append("\"")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
        default: append(byte)
        }
    }
}

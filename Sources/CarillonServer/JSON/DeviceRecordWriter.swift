package import CarillonModel
package import NIOCore

/// Writes the response to a registration without a `Codable` encoder, which would take longer than the store.
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
        text.append("},")
        if record.adRuleApplies == false { text.append("\"adRuleApplies\":false,") }
        text.append(record.consentTimes)
        text.append(",\"categories\":")
        text.append(record.categories)
        if let location = record.location { text.append(location) }
        text.append("user", record.user?.rawValue)
        text.append("permission", record.permission?.rawValue)
        for field in DeviceField.all { text.append(field.name, record[keyPath: field.record]) }
        text.append("createdAt", record.createdAt.description)
        text.append("registeredAt", record.registeredAt.description)
        if let warnings = record.warnings { text.append(warnings) }
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
        append("\":")
        append(quoted: &value)
    }

    fileprivate mutating func append(_ times: ConsentTimes) {
        append("\"consentTimes\":{")
        var isFirst = true
        append("notifications", times.notifications, &isFirst)
        append("ads", times.ads, &isFirst)
        append("nightAds", times.nightAds, &isFirst)
        append("}")
    }

    private mutating func append(_ name: StaticString, _ time: Timestamp?, _ isFirst: inout Bool) {
        guard let time else { return }
        append(isFirst ? "\"" : ",\"")
        isFirst = false
        append(name)
        append("\":\"")
        append(contentsOf: time.description.utf8)
        append("\"")
    }

    fileprivate mutating func append(_ categories: DeviceCategories) {
        switch categories {
        case .standard: append("[\"1\"]")
        case .list(let ids): append(ids)
        case .dimensions(let dimensions):
            append("{")
            for (index, (name, labels)) in dimensions.enumerated() {
                if index > 0 { append(",") }
                var name = name
                append(quoted: &name)
                append(":")
                append(labels)
            }
            append("}")
        }
    }

    private mutating func append(_ labels: [String]) {
        append("[")
        for (index, var label) in labels.enumerated() {
            if index > 0 { append(",") }
            append(quoted: &label)
        }
        append("]")
    }

    fileprivate mutating func append(_ location: DeviceLocation) {
        append(",\"location\":{\"latitude\":")
        append(contentsOf: location.latitude.description.utf8)
        append(",\"longitude\":")
        append(contentsOf: location.longitude.description.utf8)
        append(",\"at\":\"")
        append(contentsOf: location.at.description.utf8)
        append("\"}")
    }

    fileprivate mutating func append(_ warnings: [FieldError]) {
        append(",\"warnings\":[")
        for (index, var warning) in warnings.enumerated() {
            append(index > 0 ? ",{\"field\":" : "{\"field\":")
            append(quoted: &warning.field)
            append("problem", warning.problem)
            append("}")
        }
        append("]")
    }

    private mutating func append(quoted value: inout String) {
        append("\"")
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

/// Times of GTFS: `H:MM:SS` of a service day, also beyond 24 hours.
package enum GTFSClock {
    /// Seconds of the service day.
    ///
    /// - Returns: `nil` for anything else, and from 100 hours on.
    package static func seconds(_ text: some Collection<UInt8>) -> Int? {
        var (parts, number, digits, total) = (0, 0, 0, 0)
        for byte in text {
            switch byte {
            case 0x30...0x39:
                number = number * 10 + Int(byte - 0x30)
                digits += 1
                guard digits <= 2 else { return nil }
            case UInt8(ascii: ":"):
                guard digits == 2 || (parts == 0 && digits == 1), parts < 2, parts == 0 || number < 60 else {
                    return nil
                }
                total = total * 60 + number
                (parts, number, digits) = (parts + 1, 0, 0)
            case 0x20 where digits == 0 && parts == 0: continue
            default: return nil
            }
        }
        guard parts == 2, digits == 2, number < 60 else { return nil }
        return total * 60 + number
    }

    package static func seconds(_ text: String) -> Int? { seconds(text.utf8) }
}

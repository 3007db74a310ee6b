/// Indents JSON, without changing its order or spelling.
///
/// An encoder would sort the members and change numbers, which hides the sender's mistakes.
enum JSONLayout {
    /// - Returns: Nil when the bytes are not a JSON object that a phone would accept.
    static func indented(_ json: [UInt8]) -> String? {
        guard PayloadSummary(of: json).isObject, let text = String(validating: json, as: UTF8.self) else { return nil }
        var layout = Layout()
        for scalar in text.unicodeScalars {
            layout.append(scalar)
        }
        return layout.text
    }

    private struct Layout {
        var text = ""
        var depth = 0
        var isInString = false
        var isEscaped = false
        /// Whether an object or array is open and still empty.
        var isOpened = false

        mutating func append(_ scalar: Unicode.Scalar) {
            guard !isInString else {
                appendInString(scalar)
                return
            }
            switch scalar {
            case " ", "\n", "\r", "\t":
                break
            case "{", "[":
                begin(scalar)
                depth += 1
                isOpened = true
            case "}", "]":
                depth -= 1
                if isOpened {
                    isOpened = false
                } else {
                    newLine()
                }
                text.unicodeScalars.append(scalar)
            case ",":
                text += ","
                newLine()
            case ":":
                text += ": "
            default:
                isInString = scalar == "\""
                begin(scalar)
            }
        }

        private mutating func begin(_ scalar: Unicode.Scalar) {
            if isOpened {
                newLine()
                isOpened = false
            }
            text.unicodeScalars.append(scalar)
        }

        private mutating func appendInString(_ scalar: Unicode.Scalar) {
            text.unicodeScalars.append(scalar)
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isInString = false
            }
        }

        private mutating func newLine() {
            text += "\n" + String(repeating: "  ", count: depth)
        }
    }
}

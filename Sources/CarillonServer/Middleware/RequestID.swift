import HTTPTypes
import Hummingbird
import Synchronization

/// Generates request ids: twelve characters, unique within a process and almost unique across processes.
struct RequestID: Sendable {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let process = UInt64.random(in: 0..<1 << 28)
    private static let next = Atomic<UInt64>(0)

    private let number: UInt64

    init() {
        number = Self.process << 32 | Self.next.wrappingAdd(1, ordering: .relaxed).oldValue & 0xFFFF_FFFF
    }

    var text: String {
        String(unsafeUninitializedCapacity: 12) { text in
            for index in 0..<12 { text[index] = Self.alphabet[Int(number >> UInt64(55 - 5 * index) & 31)] }
            return 12
        }
    }

    /// Adds the header field `X-Request-Id`.
    func add(to response: inout Response) {
        response.headers.append(HTTPField(name: .requestID, value: text))
    }
}

import Foundation
import Glibc

/// A small HTTP server on loopback: a thread a connection, a request a connection.
///
/// Unchecked: `lock` protects `listener`; each connection belongs to its thread.
final class LoopbackServer: @unchecked Sendable {
    struct Request: Sendable {
        var method: String
        var path: String
        /// By name in lower case.
        var headers: [String: String]
        var body: Data
    }

    /// One open answer, written piece by piece.
    struct Connection: Sendable {
        fileprivate let socket: Int32

        /// Writes bytes; returns whether the other side is still there.
        @discardableResult
        func write(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// Writes a whole answer.
        func answer(_ status: Int, headers: [String: String] = [:], body: Data = Data()) {
            var head = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.count)\r\nConnection: close\r\n"
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            write(head + "\r\n" + String(decoding: body, as: UTF8.self))
        }

        /// Waits until the other side is gone.
        func untilClosed() {
            var byte: UInt8 = 0
            while recv(socket, &byte, 1, 0) > 0 {}
        }
    }

    let url: URL
    private let lock = NSLock()
    private var listener: Int32

    /// Listens on a free port.
    init(_ handle: @escaping @Sendable (Request, Connection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")!
        Thread.detachNewThread {
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                Thread.detachNewThread {
                    defer { close(socket) }
                    if let request = Self.read(socket) { handle(request, Connection(socket: socket)) }
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func read(_ socket: Int32) -> Request? {
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let separator = Data("\r\n\r\n".utf8)
        while true {
            if let end = received.range(of: separator) {
                var lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                let words = lines.removeFirst().split(separator: " ")
                var headers: [String: String] = [:]
                for line in lines {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
                }
                let body = received[end.upperBound...]
                if body.count >= Int(headers["content-length"] ?? "0") ?? 0 {
                    return Request(method: String(words[0]), path: String(words[1]), headers: headers, body: Data(body))
                }
            }
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            received.append(contentsOf: buffer[..<count])
        }
    }
}

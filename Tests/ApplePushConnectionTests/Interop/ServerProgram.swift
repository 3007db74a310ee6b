import Foundation
import NIOCore
import NIOPosix
import TestSupport

/// Another's HTTP/2 server, run as a user would.
struct ServerProgram {
    struct Missing: Error {
        let name: String
    }

    private let process: Process
    private let output = Pipe()

    /// Starts it, to run until it is stopped.
    ///
    /// Debian's own programs come first, for they have Debian's libraries.
    init(_ name: String, _ arguments: [String]) throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = ["/usr/bin", "/usr/sbin"] + path.split(separator: ":").map { String($0) }
        guard let folder = folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/" + name) })
        else { throw Missing(name: name) }
        process = Process()
        process.executableURL = URL(fileURLWithPath: folder + "/" + name)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start()
    }

    /// The number that it prints first of all; `nil` when it ends without one.
    func firstNumber() -> Int? {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(output.fileHandleForReading.fileDescriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            guard byte != UInt8(ascii: "\n") else { break }
            text.append(byte)
        }
        return Int(String(decoding: text, as: UTF8.self))
    }

    /// Ends it; a signal that can be ignored would be, for a child inherits what its parent's threads block.
    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// A port that was free a moment ago, for programs that cannot choose one themselves.
    static func freePort(on group: any EventLoopGroup) async throws -> Int {
        let channel = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}

/// A strict server on Python's h2.
///
/// It answers 200 and the id; an id that it has accepted before is a 400, a broken rule the end of the connection. Unless
/// its third argument is 0, it says GOAWAY after so many answers.
enum PythonServer {
    static let script = """
        import asyncio, ssl, sys
        from h2.config import H2Configuration
        from h2.connection import H2Connection
        from h2.events import DataReceived, RequestReceived, StreamEnded
        from h2.exceptions import ProtocolError
        from h2.settings import SettingCodes

        goodbye = int(sys.argv[3])
        accepted = set()

        class Server(asyncio.Protocol):
            def connection_made(self, transport):
                self.transport = transport
                self.ids, self.sizes, self.count, self.last = {}, {}, 0, 0
                self.over = False
                self.connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
                self.connection.initiate_connection()
                self.connection.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 150})
                self.flush()

            def flush(self):
                self.transport.write(self.connection.data_to_send())

            def data_received(self, data):
                if self.over:
                    return
                try:
                    for event in self.connection.receive_data(data):
                        self.take(event)
                        if self.over:
                            break
                except ProtocolError:
                    self.transport.close()
                self.flush()

            def take(self, event):
                if isinstance(event, RequestReceived):
                    fields = dict(event.headers)
                    good = fields[":method"] == "POST" and fields[":path"].startswith("/3/device/")
                    self.ids[event.stream_id] = fields["apns-id"] if good else None
                    self.sizes[event.stream_id] = 0
                elif isinstance(event, DataReceived):
                    self.sizes[event.stream_id] += len(event.data)
                    self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, StreamEnded):
                    self.answer(event.stream_id)

            def answer(self, stream):
                name = self.ids.pop(stream)
                good = name is not None and name not in accepted and self.sizes.pop(stream) > 0
                accepted.add(name)
                status = "200" if good else "400"
                self.connection.send_headers(stream, [(":status", status), ("apns-id", str(name))], end_stream=True)
                self.count, self.last = self.count + 1, max(self.last, stream)
                if goodbye and self.count == goodbye:
                    self.connection.close_connection(last_stream_id=self.last, additional_data=b'{"reason":"Shutdown"}')
                    self.over = True

        async def main():
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(sys.argv[1], sys.argv[2])
            tls.set_alpn_protocols(["h2"])
            server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0, ssl=tls)
            print(server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()

        asyncio.run(main())
        """
}

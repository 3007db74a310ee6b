import Carillon
import Foundation
import Testing

@testable import Coim

@Suite("Uploads")
struct UploadTests {
    /// Runs a test with files of the given sizes.
    private func withFiles(
        _ files: [(name: String, size: Int)],
        _ test: ([String]) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coim-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths: [String] = []
        for (number, file) in files.enumerated() {
            let path = folder.appendingPathComponent(file.name)
            try Data(repeating: UInt8(ascii: "a") + UInt8(number), count: file.size).write(to: path)
            paths.append(path.path)
        }
        try await test(paths)
    }

    @Test("M-87 files travel as att0 through att2, with token, nType and title, and without _key")
    func uploads() async throws {
        let server = ScriptedServer(["core/user/login": Fixtures.login])
        let phone = await CoimPhone(server).start()
        _ = await phone.logIn()
        try await withFiles([("站牌.PNG", 3), ("b\"x.txt", 2), ("c", 0)]) { paths in
            let parameters: [String: any Sendable] = ["nType": 3, "title": "站牌", "other": "x"]
            let listener = await phone.call {
                let second = URL(fileURLWithPath: paths[1])
                let files: [Any] = [paths[0], second, paths[2]]
                return coimSDK.attachFiles(files, to: "cms/geoLoc/attach/12", withParams: parameters, delegate: $0)
            }
            #expect(await listener.heard == ["0 %", "100 %", "data", "answer", "end"])
        }
        let request = try #require(server.requests.last?.sent)
        let type = try #require(request.headers["Content-Type"])
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        let mark = "--" + type.dropFirst("multipart/form-data; boundary=".count)
        let parts = [
            "name=\"token\"\r\n\r\n\(Fixtures.token)", "name=\"nType\"\r\n\r\n3", "name=\"title\"\r\n\r\n站牌",
            "name=\"att0\"; filename=\"站牌.PNG\"\r\nContent-Type: image/png\r\n\r\naaa",
            "name=\"att1\"; filename=\"b%22x.txt\"\r\nContent-Type: text/plain\r\n\r\nbb",
            "name=\"att2\"; filename=\"c\"\r\nContent-Type: application/octet-stream\r\n\r\n",
        ]
        let expected = parts.map { "\(mark)\r\nContent-Disposition: form-data; \($0)\r\n" }.joined() + "\(mark)--\r\n"
        #expect(String(decoding: request.body ?? Data(), as: UTF8.self) == expected)
        #expect(server.requests.last?.operation == "cms/geoLoc/attach/12")
        #expect(request.headers["X-COIM-ClientKey"] != nil)
    }

    @Test("M-87 the most is 3 files and 1,000,000 bytes together") func limits() async throws {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        try await withFiles([("a", 600_000), ("b", 400_000), ("c", 1), ("d", 0)]) { paths in
            #expect(await upload(Array(paths[..<2]), phone) == nil)
            #expect(await upload([paths[0], paths[1], paths[3]], phone) == nil)
            #expect(await upload(Array(paths[..<3]), phone) == -96)
            #expect(await upload(paths, phone) == -98)
            #expect(await upload([paths[2]], phone, nType: nil) == -98)
        }
        #expect(server.requests.count == 2)
    }

    @Test("M-87 a file that does not exist, a folder and what is no file are refused") func refusesMissing()
        async throws
    {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        try await withFiles([("a", 1)]) { paths in
            #expect(await upload([paths[0] + "x"], phone) == -97)
            #expect(await upload([FileManager.default.temporaryDirectory.path], phone) == -97)
            #expect(await upload(["/dev/zero"], phone) == -97)
        }
        #expect(await upload([""], phone) == -98)
        #expect(await upload([17], phone) == -98)
        #expect(await upload([try #require(URL(string: "https://example.com/a"))], phone) == -98)
        #expect(await upload([], phone) == -97)
        #expect(server.requests.isEmpty)
    }

    @Test("M-87 without files a dataURI is sent as an ordinary call") func sendsDataURI() async {
        let server = ScriptedServer()
        let phone = await CoimPhone(server).start()
        let parameters = ["dataURI": "data:image/png;base64,AAAA", "nType": nType.NIMAGE]
        let listener = await phone.call {
            coimSDK.attach(nil, toURL: "cms/page/attach/3", params: parameters, aDelegate: $0)
        }
        #expect(await listener.heard == ["data", "answer", "end"])
        let request = server.requests.first
        #expect(request?.sent.headers["Content-Type"] == "application/json")
        #expect(request?.body["dataURI"] == "data:image/png;base64,AAAA" && request?.body["_key"] != nil)
    }

    @Test("M-87 the progress rises from 0 through 100, and each percentage comes once") func reportsProgress()
        async throws
    {
        let server = UploadServer(steps: [0, 10, 10, 5, 50, 100, 100])
        let phone = await CoimPhone(server).start()
        try await withFiles([("a.jpg", 10)]) { paths in
            let listener = await phone.call {
                coimSDK.attach(paths, toURL: "cms/page/attach/3", params: ["nType": "3"], aDelegate: $0)
            }
            #expect(await listener.heard == ["0 %", "10 %", "50 %", "100 %", "data", "answer", "end"])
        }
    }

    @Test("M-87 an upload that fails does not reach 100") func failsHalfway() async throws {
        let phone = await CoimPhone(UploadServer(steps: [50], isFailing: true)).start()
        try await withFiles([("a.jpg", 10)]) { paths in
            let listener = await phone.call {
                coimSDK.attach(paths, toURL: "cms/page/attach/3", params: ["nType": "3"], aDelegate: $0)
            }
            #expect(await listener.heard.last == "error")
            #expect(await !listener.heard.contains("100 %"))
        }
    }

    @Test("nType has the numbers of the Objective-C SDK") func kinds() {
        #expect([nType.NICON, nType.NFILE, nType.NIMAGE, nType.NVIDEO, nType.NAUDIO] == ["1", "2", "3", "4", "5"])
        #expect(maxFileSize == 1_000_000)
    }

    /// - Returns: The code of the error; `nil` when the files were sent.
    private func upload(_ files: [any Sendable], _ phone: CoimPhone, nType: String? = "3") async -> Int? {
        let parameters = ["nType": nType].compactMapValues { $0 }
        let listener = await phone.call {
            coimSDK.attachFiles(files, to: "cms/page/attach/3", withParams: parameters, delegate: $0)
        }
        return await listener.error?.code
    }
}

/// A server that takes a body step by step, in percent.
private struct UploadServer: UploadTransport {
    let steps: [Int64]
    var isFailing = false

    func send(_ request: TransportRequest) async throws -> TransportAnswer { try await send(request) { _ in } }

    func send(
        _ request: TransportRequest,
        onSent: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportAnswer {
        let size = Int64(request.body?.count ?? 0)
        for step in steps { onSent((size * step + 99) / 100) }
        if isFailing { throw URLError(.networkConnectionLost) }
        return .json(Fixtures.ok)
    }
}

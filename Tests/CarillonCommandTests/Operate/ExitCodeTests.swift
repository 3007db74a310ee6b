import Foundation
import Testing

@testable import CarillonCommand

/// How `carillon` ends: the code of each kind of failure, and what it prints.
struct ExitCodeTests {
    private static let key = ["CARILLON_API_KEY": "ck_test"]

    private static func problem(_ status: Int, _ detail: String, errors: String = "") -> StubAPI.Response {
        StubAPI.Response(
            status: status,
            type: "application/problem+json",
            body: #"{"type":"t","title":"Title","status":\#(status),"detail":"\#(detail)","code":"c"\#(errors)}"#
        )
    }

    @Test(
        "A response's status decides the exit code, without the usage",
        arguments: [
            (400, 65), (401, 77), (403, 77), (404, 66), (409, 65), (422, 65), (429, 75), (500, 69), (503, 75),
            (507, 74),
        ]
    )
    func mapsStatuses(status: Int, code: Int32) async throws {
        let errors =
            #","errors":[{"field":"name","problem":"is required"},{"field":"bundleID","problem":"is too long"}]"#
        let result = try await StubAPI.run({ _ in Self.problem(status, "It is refused.", errors: errors) }) {
            _,
            address in
            try await Program.run(["apps", "list", "--server", address], environment: Self.key)
        }
        #expect(result.status == code)
        #expect(result.errors == "Error: It is refused.\n  name is required\n  bundleID is too long\n")
        #expect(result.output == "")
    }

    @Test("Wrong arguments end with 64 and the usage")
    func wrongArguments() async throws {
        let result = try await Program.run(["campaigns", "list", "--state", "asleep"])
        #expect(result.status == 64)
        #expect(
            result.errors.contains("--state is one of draft")
                && result.errors.contains("Usage: carillon campaigns list")
        )
    }

    @Test("A missing key ends with 64, a missing file with 66, a file that is not JSON with 65")
    func wrongInput() async throws {
        let noKey = try await Program.run(["apps", "list"])
        #expect(noKey.status == 64 && noKey.errors.contains("CARILLON_API_KEY") && !noKey.errors.contains("Usage"))
        let noFile = try await Program.run(["campaigns", "create", "/nowhere.json"], environment: Self.key)
        #expect(noFile.status == 66 && noFile.errors == "Error: /nowhere.json cannot be read.\n")
        let noJSON = try await Program.run(["campaigns", "create", "/etc/passwd"], environment: Self.key)
        #expect(noJSON.status == 65 && noJSON.errors.contains("is not JSON"))
    }

    @Test(
        "A server that does not answer ends with 69 and its address; CARILLON_SERVER names it",
        arguments: [
            ["apps", "list"], ["status"], ["campaigns", "watch", "cmp_000000000001"], ["export", "devices", "-"],
            ["import", "devices", "/etc/passwd"],
        ]
    )
    func unreachable(arguments: [String]) async throws {
        let address = "http://127.0.0.1:1"
        let environment = Self.key.merging([
            "CARILLON_SERVER": address
        ]) { $1 }
        let more = arguments.first == "export" || arguments.first == "import" ? ["--app", "app_000000000001"] : []
        let result = try await Program.run(arguments + more, environment: environment)
        #expect(result.status == 69, "\(result.errors)")
        #expect(result.errors.hasPrefix("Error: \(address) does not answer"), "\(result.errors)")
    }

    @Test("A response that breaks off ends with 69, one that is not of a Carillon server with 70")
    func brokenResponses() async throws {
        let broken = StubAPI.Response(body: #"{"items":["#, length: 1_000)
        let cut = try await StubAPI.run({ _ in broken }) { _, address in
            try await Program.run(["apps", "list", "--server", address], environment: Self.key)
        }
        #expect(cut.status == 69, "\(cut.errors)")
        let page = StubAPI.Response(type: "text/html", body: "<html>")
        let strange = try await StubAPI.run({ _ in page }) { _, address in
            try await Program.run(["apps", "list", "--server", address], environment: Self.key)
        }
        #expect(strange.status == 70 && strange.errors.contains("is not JSON"))
    }

    @Test(
        "A server that is not Carillon's ends with 70, whatever it answers but a refusal of credentials or load",
        arguments: [
            (404, 70), (405, 70), (301, 70), (418, 70), (200, 70), (401, 77), (403, 77), (429, 75), (503, 75),
            (502, 69),
        ]
    )
    func foreignServer(status: Int, code: Int32) async throws {
        let page = StubAPI.Response(status: status, type: "text/html", body: "<html>Not found</html>")
        for arguments in [["status"], ["apps", "list"]] {
            let result = try await StubAPI.run({ _ in page }) { _, address in
                try await Program.run(arguments + ["--server", address], environment: Self.key)
            }
            #expect(result.status == code && result.output == "", "\(arguments) \(result.errors)")
        }
    }

    @Test("A backup ends with 73 when its file exists or cannot be made, with 66 when there is no database")
    func backups() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder + "/data", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let existing = folder + "/existing"
        try Data().write(to: URL(filePath: existing))

        let onto = try await Program.run(["backup", existing, "--data", folder + "/data"])
        #expect(onto.status == 73 && onto.errors == "Error: \(existing) exists already.\n")
        let nowhere = try await Program.run(["backup", folder + "/none/new", "--data", folder + "/data"])
        #expect(nowhere.status == 73 && nowhere.errors.hasPrefix("Error: Cannot make \(folder)/none/new"))
        let empty = try await Program.run(["backup", folder + "/new", "--data", folder + "/data"])
        #expect(empty.status == 66 && empty.errors.contains("There is no database \(folder)/data/carillon.sqlite."))
        let missing = try await Program.run(["restore", folder + "/none", "--data", folder + "/data"])
        #expect(missing.status == 66 && missing.errors == "Error: There is no file \(folder)/none.\n")
        try Data().write(to: URL(filePath: folder + "/data/carillon.sqlite"))
        let over = try await Program.run(["restore", existing, "--data", folder + "/data"])
        #expect(over.status == 73 && over.errors.hasSuffix("exists already: restore into an empty folder.\n"))
    }

    @Test("An import without a good line ends with 1, and a dry run of a refused campaign with 65")
    func negativeResults() async throws {
        let counts = #""added":0,"replaced":0,"registered":0,"rejected":1,"users":0"#
        let report = "{\(counts),\"problems\":[{\"line\":2,\"problem\":\"no\"}]}"
        let none = try await StubAPI.run({ _ in StubAPI.Response(body: report) }) { _, address in
            try await Program.run(
                ["import", "devices", "/etc/passwd", "--app", "app_000000000001"],
                environment: Self.key.merging(["CARILLON_SERVER": address]) { $1 }
            )
        }
        #expect(none.status == 1 && none.errors == "line 2: no\nError: No line was good: nothing is imported.\n")
        let dryRun = #"{"problems":[{"field":"audience","problem":"is required"}],"renderings":[]}"#
        let refused = try await StubAPI.run({ _ in StubAPI.Response(body: dryRun) }) { _, address in
            let input = Pipe()
            try input.fileHandleForWriting.write(contentsOf: Data("{}".utf8))
            try input.fileHandleForWriting.close()
            return try await Program.run(
                ["dry-run", "-", "--server", address, "--app", "app_000000000001"],
                environment: Self.key,
                input: input.fileHandleForReading
            )
        }
        #expect(refused.status == 65 && refused.output == "refused: audience is required\n")
    }

    @Test("Each exit code is in docs/operations.md")
    func documentsCodes() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/operations.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for kind in CommandFailure.Kind.allCases {
            #expect(text.contains("\n| \(kind.rawValue) |"), "\(kind)")
        }
    }

    @Test(
        "Help ends with 0, also of a subcommand",
        arguments: [["--help"], ["help", "serve"], ["apps", "create", "--help"]]
    )
    func help(arguments: [String]) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status == 0 && result.output.contains("USAGE: carillon") && result.errors == "")
    }

    @Test("Without a command it shows where to begin, and ends with 0")
    func overview() async throws {
        let result = try await Program.run([])
        #expect(result.status == 0 && result.errors == "")
        for command in ["carillon demo", "carillon serve", "carillon send", "carillon --help"] {
            #expect(result.output.contains(command))
        }
        #expect(result.output.split(separator: "\n").count <= 8)
    }
}

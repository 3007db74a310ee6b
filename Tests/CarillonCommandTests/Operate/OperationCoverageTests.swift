import ArgumentParser
import CarillonModel
import Foundation
import Testing

@testable import CarillonCommand

/// Each operation of the API's description has a command that sends it, or a reason for having none.
struct OperationCoverageTests {
    private static let app = "app_000000000001"
    private static let device = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

    /// Why operations have no command.
    private static let withoutCommand: [String: String] = {
        let sdk = "the SDK sends it, with the secret of its device"
        let operations = [
            "PUT /v1/devices/{device}", "PATCH /v1/devices/{device}", "GET /v1/devices/{device}/tags",
            "PUT /v1/devices/{device}/tags", "POST /v1/devices/{device}/tags", "DELETE /v1/devices/{device}/tags",
            "GET /v1/devices/{device}/attributes", "PATCH /v1/devices/{device}/attributes",
            "POST /v1/devices/{device}/test-pairing",
            "PUT /v1/devices/{device}/voip", "GET /v1/devices/{device}/voip", "DELETE /v1/devices/{device}/voip",
            "POST /v1/devices/{device}/forget", "GET /v1/devices/{device}/inbox",
            "POST /v1/accounts/sign-up", "POST /v1/accounts/sign-in", "POST /v1/accounts/guest",
            "GET /v1/accounts/me", "POST /v1/accounts/me/sign-out", "PUT /v1/accounts/me/password",
            "PUT /v1/accounts/me/credentials", "POST /v1/accounts/me/delete",
            "POST /v1/devices/{device}/inbox/read", "POST /v1/devices/{device}/messages", "POST /v1/events",
            "GET /v1/devices/{device}/content-sets/{set}/follows",
            "PUT /v1/devices/{device}/content-sets/{set}/follows/{follow}",
            "DELETE /v1/devices/{device}/content-sets/{set}/follows/{follow}",
        ]
        let all = Dictionary(uniqueKeysWithValues: operations.map { ($0, sdk) })
        return all.merging(["POST /v1/audience-parse": "`carillon audiences parse` checks a rule without a server"]) {
            $1
        }
    }()

    /// The commands, each with what it is to send; `FILE` stands for a file with an object of JSON.
    private static let commands: [(operation: String, arguments: String)] = [
        ("GET /v1/apps", "apps list"),
        ("POST /v1/apps", "apps create Bus --bundle-id org.example.bus"),
        ("GET /v1/apps/{app}", "apps show"),
        ("PATCH /v1/apps/{app}", "apps update --set name=Bus"),
        ("DELETE /v1/apps/{app}", "apps delete app_000000000001 --yes"),
        ("GET /v1/nodes", "nodes list"),
        ("POST /v1/nodes/{node}/quiet", "nodes quiet nod_000000000001"),
        ("POST /v1/nodes/{node}/wake", "nodes wake nod_000000000001"),
        ("POST /v1/nodes/{node}/release-leases", "nodes release-leases nod_000000000001"),
        ("POST /v1/apps/{app}/pause-sending", "apps pause-sending"),
        ("POST /v1/apps/{app}/resume-sending", "apps resume-sending"),
        ("POST /v1/apps/{app}/rotate-keys", "apps rotate-keys appKey --overlap-hours 2"),
        ("DELETE /v1/apps/{app}/former-keys/{kind}", "apps end-former-keys appKey"),
        ("GET /v1/apps/{app}/push-key", "apps push-key show"),
        ("PUT /v1/apps/{app}/push-key", "apps push-key set --key FILE --key-id ABC123DEFG --team-id DEF123GHIJ"),
        ("POST /v1/apps/{app}/push-key/check", "apps push-key check"),
        ("POST /v1/apps/{app}/push-key/candidate", "apps push-key use"),
        ("DELETE /v1/apps/{app}/push-key/candidate", "apps push-key discard"),
        ("POST /v1/apps/{app}/push-key/simulator", "apps push-key use-simulator"),
        ("GET /v1/apps/{app}/retention", "apps retention show"),
        ("PUT /v1/apps/{app}/retention", "apps retention set --set events=30"),
        ("GET /v1/apps/{app}/user-messages", "apps user-messages show"),
        ("PUT /v1/apps/{app}/user-messages", "apps user-messages set --set isAllowed=true"),
        ("GET /v1/apps/{app}/accounts", "apps accounts show"),
        ("PUT /v1/apps/{app}/accounts", "apps accounts set --set isOn=true"),
        ("GET /v1/apps/{app}/vendor-apis", "apps vendor-apis list"),
        ("PUT /v1/apps/{app}/vendor-apis/{api}", "apps vendor-apis set toast --key zaq1xsw2cde3vfr4"),
        ("DELETE /v1/apps/{app}/vendor-apis/{api}", "apps vendor-apis delete toast"),
        ("GET /v1/audiences", "audiences list"),
        ("POST /v1/audiences", "audiences create Japan language=ja"),
        ("GET /v1/audiences/{audience}", "audiences show aud_000000000001"),
        ("PATCH /v1/audiences/{audience}", "audiences update aud_000000000001 --name Japan"),
        ("DELETE /v1/audiences/{audience}", "audiences delete aud_000000000001"),
        ("POST /v1/audiences/{audience}/count", "audiences count aud_000000000001"),
        ("POST /v1/audience-estimate", "audiences estimate language=ja"),
        ("GET /v1/tags", "tags list"),
        ("POST /v1/tags", "tags create news"),
        ("GET /v1/tags/{tag}", "tags show ZZPP00b6"),
        ("PATCH /v1/tags/{tag}", "tags rename ZZPP00b6 sports"),
        ("DELETE /v1/tags/{tag}", "tags delete ZZPP00b6"),
        ("GET /v1/tags/{tag}/users", "tags users ZZPP00b6"),
        ("POST /v1/tags/{tag}/users", "tags add-users ZZPP00b6 u-1 u-2"),
        ("DELETE /v1/tags/{tag}/users", "tags remove-users ZZPP00b6 u-1"),
        ("POST /v1/tags/{tag}/user-list", "tags change-list ZZPP00b6 FILE --remove"),
        ("POST /v1/tags/{tag}/merge", "tags merge ZZPP00b6 --into ZZPP00b7"),
        ("GET /v1/categories", "categories list"),
        ("POST /v1/categories", "categories define 1 --title News"),
        ("DELETE /v1/categories", "categories undefine 1"),
        ("GET /v1/accounts", "accounts list --prefix al"),
        ("POST /v1/accounts", "accounts create alice --password-file FILE"),
        ("GET /v1/users/{user}/account", "accounts show u-1"),
        ("PATCH /v1/users/{user}/account", "accounts block u-1"),
        ("DELETE /v1/users/{user}/account", "accounts delete u-1 --yes"),
        ("PUT /v1/users/{user}/account/password", "accounts set-password u-1"),
        ("GET /v1/users/{user}", "users show u-1"),
        ("DELETE /v1/users/{user}", "users erase u-1 --yes"),
        ("GET /v1/users/{user}/export", "export user u-1 -"),
        ("GET /v1/user-messages", "users messages"),
        ("PUT /v1/users/{user}/tags", "users tags set u-1 ZZPP00b6"),
        ("POST /v1/users/{user}/tags", "users tags add u-1 ZZPP00b6"),
        ("GET /v1/users/{user}/attributes", "users attributes show u-1"),
        ("PATCH /v1/users/{user}/attributes", "users attributes set u-1 plan=gold age=42"),
        ("GET /v1/invalid-tokens", "devices invalid-tokens"),
        ("POST /v1/device-import", "import devices FILE"),
        ("GET /v1/device-export", "export devices -"),
        ("GET /v1/devices", "devices list --user u-1"),
        ("GET /v1/users", "users list --prefix u-"),
        ("GET /v1/devices/{device}", "devices show \(device)"),
        ("DELETE /v1/devices/{device}", "devices delete \(device)"),
        ("GET /v1/devices/{device}/consents", "devices consents \(device)"),
        ("GET /v1/consents/ads", "devices old-consents"),
        ("POST /v1/keys", "keys create backup --scope read"),
        ("GET /v1/keys", "keys list"),
        ("DELETE /v1/keys/{key}", "keys delete key_000000000001"),
        ("GET /v1/operators", "operators list"),
        ("POST /v1/operators", "operators invite mei@example.com --role editor"),
        ("GET /v1/operators/{operator}", "operators show opr_000000000001"),
        ("PATCH /v1/operators/{operator}", "operators role opr_000000000001 sender"),
        ("DELETE /v1/operators/{operator}", "operators remove opr_000000000001"),
        ("POST /v1/operators/{operator}/link", "operators link opr_000000000001 --remove-second-factor"),
        ("DELETE /v1/operators/{operator}/sessions", "operators end-sessions opr_000000000001"),
        ("GET /v1/audit", "audit list"),
        ("POST /v1/campaigns", "campaigns create FILE"),
        ("GET /v1/campaigns", "campaigns list"),
        ("GET /v1/test-devices", "test-devices list"),
        ("POST /v1/test-devices", "test-devices add \(device) Phone --owner Mei"),
        ("DELETE /v1/test-devices/{device}", "test-devices remove \(device)"),
        ("POST /v1/test-device-send", "test-devices send FILE --device \(device)"),
        ("POST /v1/test-pairings", "test-devices pair Phone"),
        ("POST /v1/test-send", "campaigns test FILE --device \(device)"),
        ("GET /v1/campaigns/{campaign}", "campaigns show cmp_000000000001"),
        ("PATCH /v1/campaigns/{campaign}", "campaigns update cmp_000000000001 --set name=News"),
        ("POST /v1/campaigns/{campaign}/pause", "campaigns pause cmp_000000000001"),
        ("POST /v1/campaigns/{campaign}/resume", "campaigns resume cmp_000000000001"),
        ("POST /v1/campaigns/{campaign}/send", "campaigns send cmp_000000000001"),
        ("DELETE /v1/campaigns/{campaign}", "campaigns delete cmp_000000000001"),
        ("POST /v1/campaigns/{campaign}/cancel", "campaigns cancel cmp_000000000001"),
        ("GET /v1/approvals", "campaigns approvals"),
        (
            "POST /v1/campaigns/{campaign}/approval/refuse",
            "campaigns refuse cmp_000000000001 --reason Late"
        ),
        ("POST /v1/campaigns/{campaign}/approval/withdraw", "campaigns withdraw cmp_000000000001"),
        ("POST /v1/campaigns/{campaign}/undo", "campaigns undo cmp_000000000001"),
        ("POST /v1/campaigns/{campaign}/send-now", "campaigns send-now cmp_000000000001"),
        ("GET /v1/campaigns/{campaign}/occurrences", "campaigns occurrences cmp_000000000001"),
        (
            "POST /v1/campaigns/{campaign}/occurrences/{occurrence}/cancel",
            "campaigns cancel cmp_000000000001 --occurrence 2026-12-24T09:00"
        ),
        ("GET /v1/campaigns/{campaign}/funnel", "campaigns funnel cmp_000000000001"),
        ("GET /v1/campaigns/{campaign}/failures", "campaigns failures cmp_000000000001"),
        ("GET /v1/campaigns/{campaign}/deliveries", "campaigns deliveries cmp_000000000001"),
        ("POST /v1/campaigns/{campaign}/progress-ticket", "campaigns watch cmp_000000000001"),
        ("GET /v1/campaigns/{campaign}/progress", "campaigns watch cmp_000000000001"),
        ("POST /v1/dry-run", "dry-run FILE"),
        ("POST /v1/campaign-reach", "campaigns reach FILE --exact"),
        ("POST /v1/templates", "templates create --name News --message FILE"),
        ("GET /v1/templates", "templates list"),
        ("GET /v1/templates/{template}", "templates show tpl_000000000001"),
        ("PUT /v1/templates/{template}", "templates update tpl_000000000001 --name News --message FILE"),
        ("DELETE /v1/templates/{template}", "templates delete tpl_000000000001"),
        ("GET /v1/content-sets", "content list"),
        ("PUT /v1/content-sets/{set}", "content set cafes FILE"),
        ("GET /v1/content-sets/{set}", "content show cafes"),
        ("DELETE /v1/content-sets/{set}", "content delete cafes"),
        ("POST /v1/content-sets/{set}/imports", "content import cafes FILE --format csv"),
        ("GET /v1/content-sets/{set}/imports", "content imports cafes"),
        ("GET /v1/content-sets/{set}/rows", "content rows cafes"),
        ("GET /v1/content-sets/{set}/sources", "content sources list cafes"),
        (
            "PUT /v1/content-sets/{set}/sources/{source}",
            "content sources set cafes feed --format csv --url https://example.com/x --every 6h"
        ),
        ("GET /v1/content-sets/{set}/sources/{source}", "content sources show cafes feed"),
        ("DELETE /v1/content-sets/{set}/sources/{source}", "content sources delete cafes feed"),
        ("POST /v1/content-sets/{set}/sources/{source}/fetch", "content sources fetch cafes feed"),
        ("GET /v1/content-sets/{set}/arrivals", "content arrivals buses KHH100"),
        ("GET /v1/content-sets/{set}/follows", "content follows list cafes"),
        ("PUT /v1/content-sets/{set}/follows/{follow}", "content follows set cafes ann --user ann --words tea"),
        ("GET /v1/content-sets/{set}/follows/{follow}", "content follows show cafes ann"),
        ("DELETE /v1/content-sets/{set}/follows/{follow}", "content follows delete cafes ann"),
        ("PUT /v1/content-sets/{set}/alerts/{table}", "content alerts set cafes places --template tpl_000000000001"),
        ("GET /v1/content-sets/{set}/alerts/{table}", "content alerts show cafes places"),
        ("DELETE /v1/content-sets/{set}/alerts/{table}", "content alerts delete cafes places"),
        ("GET /v1/content-sets/{set}/attachments", "content attachments list cafes --table places --user ann"),
        (
            "GET /v1/content-sets/{set}/attachments/{attachment}",
            "content attachments download cafes att_000000000001 -"
        ),
        ("DELETE /v1/content-sets/{set}/attachments/{attachment}", "content attachments delete cafes att_000000000001"),
        ("GET /health", "status"), ("GET /ready", "status"),
        ("GET /metrics", "status metrics"),
        ("GET /v1/openapi.yaml", "status openapi"),
        ("GET /v1/message-log", "log --user u-1"),
        ("GET /v1/statistics", "statistics"),
        ("GET /v1/campaigns/{campaign}/statistics", "statistics --campaign cmp_000000000001"),
        ("POST /v1/statistics-ids", "statistics keys create News"),
        ("GET /v1/statistics-ids", "statistics keys list"),
        ("GET /v1/statistics-ids/{statistics}", "statistics keys show sta_000000000001"),
        ("PUT /v1/statistics-ids/{statistics}", "statistics keys update sta_000000000001 News"),
        ("DELETE /v1/statistics-ids/{statistics}", "statistics keys delete sta_000000000001"),
        ("POST /v1/webhooks", "webhooks create https://example.com/hook --topic campaign.finished"),
        ("GET /v1/webhooks", "webhooks list"),
        ("GET /v1/webhooks/{webhook}", "webhooks show whk_000000000001"),
        ("PATCH /v1/webhooks/{webhook}", "webhooks update whk_000000000001 --state active"),
        ("DELETE /v1/webhooks/{webhook}", "webhooks delete whk_000000000001"),
        ("POST /v1/webhooks/{webhook}/rotate-secret", "webhooks rotate-secret whk_000000000001"),
        ("POST /v1/webhooks/{webhook}/test", "webhooks test whk_000000000001"),
        ("GET /v1/webhooks/{webhook}/attempts", "webhooks attempts whk_000000000001"),
        ("GET /v1/webhooks/{webhook}/messages", "webhooks messages whk_000000000001"),
        ("POST /v1/webhooks/{webhook}/messages/{message}/replay", "webhooks replay whk_000000000001 msg_000000000001"),
    ]

    @Test("Each operation of the API's description has a command, or a reason for having none")
    func coversTheDescription() throws {
        let described = Set(try Self.operations())
        let listed = Self.commands.map(\.operation) + Self.withoutCommand.keys

        #expect(described.count > 90)
        #expect(described.subtracting(listed).sorted() == [], "operations without a command")
        #expect(Set(listed).subtracting(described).sorted() == [], "commands without an operation")
        #expect(listed.count == Set(listed).count)
    }

    @Test("Each command sends its operation", arguments: commands.map { [$0.operation, $0.arguments] })
    func sendsIt(pair: [String]) async throws {
        let (operation, line) = (pair[0], pair[1])
        let templates = try Self.operations()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(#"{"message":{"content":{"default":{"body":"Hello"}}}}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        let sent = try await StubAPI.run(Self.response) { stub, address in
            var arguments = line.split(separator: " ").map { $0 == "FILE" ? file.path : String($0) }
            arguments += ["--server", address, "--key-file", file.path, "--app", Self.app]
            guard var command = try CarillonCommand.parseAsRoot(arguments) as? any AsyncParsableCommand else {
                throw ValidationError("\(line) does not run.")
            }
            try await command.run()
            return stub.recorded.compactMap { Self.template(of: $0, in: templates) }
        }

        #expect(sent.contains(operation), "\(line) sent \(sent)")
    }

    // MARK: - Private

    /// The operations of the description, read once for all commands.
    private static func operations() throws -> [String] { try described.get() }

    private static let described = Result { try readOperations() }

    /// Reads them by the indentation of the lines.
    private static func readOperations() throws -> [String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/CarillonServer/Resources/openapi.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let paths = try #require(text.components(separatedBy: "\npaths:\n").last)
        var (operations, path): ([String], String) = ([], "")
        for line in paths.split(separator: "\n").prefix(while: { $0.hasPrefix(" ") }) {
            if let match = line.wholeMatch(of: #/  (\/.*):/#) {
                path = String(match.1)
            } else if let match = line.wholeMatch(of: #/    (get|post|put|patch|delete):/#) {
                operations.append("\(match.1.uppercased()) \(path)")
            }
        }
        return operations
    }

    /// The operation that a request is; a path without parameters takes precedence.
    private static func template(of request: StubAPI.Request, in operations: [String]) -> String? {
        let sent = request.path.split(separator: "/")
        return
            operations
            .filter { operation in
                let parts = operation.split(separator: " ")
                let path = parts[1].split(separator: "/")
                return parts[0] == request.method && path.count == sent.count
                    && zip(path, sent).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
            }
            .min { $0.filter { $0 == "{" }.count < $1.filter { $0 == "{" }.count }
    }

    /// A response that the command understands.
    @Sendable private static func response(to request: StubAPI.Request) -> StubAPI.Response {
        let zero =
            #""targeted":0,"skipped":{},"accepted":0,"failed":{},"failedByToken":0,"failedOtherwise":0,"received":0,"opened":0,"dismissed":0,"launched":0,"actions":0,"replies":0"#
        let funnel = "{\(zero),\"retrying\":0,\"deferred\":0}"
        let now = "2026-11-01T00:00:00Z"
        let body: String? =
            switch (request.method, request.path) {
            case (_, let path) where path.hasSuffix("/progress"): nil
            case (_, let path) where path.hasSuffix("/progress-ticket"): #"{"ticket":"t","expiresAt":"\#(now)"}"#
            case (_, let path) where path.hasSuffix("/funnel"): funnel
            case (_, let path) where path.hasSuffix("statistics"):
                #"{"from":"\#(now)","until":"\#(now)","unit":"day","timeZone":"UTC","points":[],"total":{\#(zero)}}"#
            case ("POST", "/v1/keys"):
                #"{"key":{"id":"key_000000000001","name":"k","scopes":["read"],"createdAt":"\#(now)"},"secret":"s"}"#
            case (_, "/v1/audience-estimate"):
                #"{"isExact":true,"devices":0,"margin":0,"reach":{"notifications":0,"ads":0,"nightAds":0,"voip":0},"languages":{}}"#
            case (_, "/v1/campaign-reach"):
                #"{"isExact":true,"matched":0,"skipped":[],"deferred":[],"reach":0,"users":0,"languages":{},"zones":{}}"#
            case (_, "/v1/device-import"):
                #"{"added":1,"replaced":0,"registered":0,"rejected":0,"users":0,"problems":[]}"#
            case ("GET", "/health"), ("GET", "/ready"): #"{"status":"ready"}"#
            default: request.method == "GET" ? #"{"items":[]}"# : "{}"
            }
        guard let body else {
            let event = #"{"campaign":"cmp_000000000001","state":"sent","funnel":\#(funnel)}"#
            return StubAPI.Response(type: "text/event-stream", body: "event: progress\ndata: \(event)\n\n")
        }
        return StubAPI.Response(body: body)
    }
}

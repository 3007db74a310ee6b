import ArgumentParser
import CarillonModel
import Foundation

/// `carillon status`: whether a server works, and what it reports about itself.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether a server is healthy and ready, its metrics and its API's description.",
        discussion: "carillon doctor server examines the machine of a server.",
        subcommands: [Show.self, Metrics.self, OpenAPI.self],
        defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Show health, readiness, and campaigns that wait for an operator; ends with 1 unless the server is ready.",
            discussion: "Without an API key it shows health and readiness alone."
        )

        @OptionGroup var options: OperatorOptions

        func run() async throws {
            let api = try options.openAPI()
            let health = try await options.run(api) { try JSONValue(response: try await $0.call("GET", "/health")) }
            let readiness = try await options.run(api, readiness)
            var status: [String: JSONValue] = ["server": .string(api.server.absoluteString)]
            status["health"] = health["status"]
            status["readiness"] =
                readiness.value["status"].flatMap { $0.string.map(JSONValue.string) } ?? readiness.value["code"]
            status["hold"] = readiness.value["hold"]
            status["reasons"] = readiness.value["reasons"]
            if !api.key.isEmpty { status["halted"] = try await options.run(api, halted) }
            try show(.object(status))
            if !readiness.isReady { throw ExitCode(CommandFailure.Kind.negative.rawValue) }
        }

        private func show(_ status: JSONValue) throws {
            guard !options.json, options.field == nil, var members = status.object else {
                return try options.show(status)
            }
            let halted = members.removeValue(forKey: "halted")?.array ?? []
            let reasons = members.removeValue(forKey: "reasons")?.array ?? []
            try options.show(.object(members))
            for reason in reasons {
                print(Terminal.escaped("  \(reason["code"]?.cell ?? ""): \(reason["detail"]?.cell ?? "")"))
            }
            guard !halted.isEmpty else { return }
            print("\nPaused campaigns with an alarm:")
            try ListOutput(CampaignsCommand.columns, json: false, field: nil).printAll(halted)
        }

        private func readiness(_ api: OperatorAPI) async throws -> (value: JSONValue, isReady: Bool) {
            do {
                return (try JSONValue(response: try await api.call("GET", "/ready")), true)
            } catch let refusal as OperatorAPI.Refusal where refusal.status == 503 {
                let code = refusal.problem?.code ?? "not-ready"
                return (.object(["code": .string("not ready: \(code)")]), false)
            }
        }

        /// The first page of paused campaigns that have an alarm.
        private func halted(_ api: OperatorAPI) async throws -> JSONValue {
            let request = OperatorRequest(
                "GET",
                "/v1/campaigns",
                query: ["state": "paused", APIName.limit: "200"],
                app: .filter
            )
            let page = try JSONValue(response: try await options.send(request, api))
            return .array((page[APIName.items]?.array ?? []).filter { $0["alarm"] != nil })
        }
    }

    struct Metrics: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the metrics, in the Prometheus text format.")

        @OptionGroup var options: OperatorOptions

        func run() async throws {
            let data = try await options.run(try options.openAPI()) { try await $0.call("GET", "/metrics") }
            FileHandle.standardOutput.write(data)
        }
    }

    struct OpenAPI: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "openapi",
            abstract: "Print the API's description, OpenAPI in YAML."
        )

        @OptionGroup var options: OperatorOptions

        func run() async throws {
            let data = try await options.run(try options.openAPI()) { try await $0.call("GET", "/v1/openapi.yaml") }
            FileHandle.standardOutput.write(data)
        }
    }
}

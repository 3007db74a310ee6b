import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Testing

@testable import CarillonCommand

/// `carillon categories` against a server.
struct CategoriesCommandTests {
    private func labels(_ server: RunningServer) async throws -> [CategoryLabel] {
        try await server.composition.engine.registry.categories.list(app: server.app, limit: 200).items
    }

    @Test("Labels of one and several dimensions are defined, renamed and deleted; an unknown one is reported")
    func defines() async throws {
        try await RunningServer.run { server in
            try await server.command(CategoriesCommand.self, "define", "1", "--title", "News")
            try await server.command(CategoriesCommand.self, "define", "神奈川", "--dimension", "地域")
            try await server.command(
                CategoriesCommand.self,
                "define",
                "神奈川",
                "--dimension",
                "地域",
                "--title",
                "Kanagawa"
            )
            #expect(try await labels(server).map(\.label) == ["1", "神奈川"])
            #expect(try await labels(server).map(\.title) == ["News", "Kanagawa"])
            #expect(try await labels(server).map(\.dimension) == [nil, "地域"])

            let file = try server.file(
                "devices.csv",
                "token,categories\n\(String(repeating: "ab", count: 32)),\"{\"\"地域\"\":[\"\"神奈jia\"\"]}\"\n"
            )
            try await server.command(ImportDevicesCommand.self, file)
            let undefined = try await server.composition.engine.registry.categories.list(
                app: server.app,
                isDefined: false,
                limit: 200
            )
            #expect(undefined.items.map(\.label) == ["神奈jia"])
            for arguments in [["list"], ["list", "--undefined"], ["list", "--defined", "--dimension", "地域"]] {
                #expect(await server.refusal(CategoriesCommand.self, arguments) == nil)
            }

            try await server.command(CategoriesCommand.self, "undefine", "1")
            try await server.command(CategoriesCommand.self, "undefine", "神奈川", "--dimension", "地域")
            #expect(try await labels(server).map(\.label) == ["神奈jia"])
            let gone = await server.refusal(CategoriesCommand.self, ["undefine", "1"])
            #expect(gone?.contains("There is no such category") == true, "\(gone ?? "nothing")")
            let both = await server.refusal(CategoriesCommand.self, ["list", "--defined", "--undefined"])
            #expect(both?.contains("not both") == true)
            let empty = await server.refusal(CategoriesCommand.self, ["define", ""])
            #expect(empty?.contains("label") == true)
        }
    }

    @Test("A table shows which labels are undefined, and their number of devices")
    func shows() {
        let labels: [JSONValue] = [
            .object(["label": .string("1"), "title": .string("News"), "isDefined": .bool(true), "devices": .integer(3)]
            ),
            .object([
                "dimension": .string("region"), "label": .string("kanot"), "isDefined": .bool(false),
                "devices": .integer(10_000),
            ]),
        ]
        var table = TextTable(CategoriesCommand.columns.map(\.title))
        for label in labels { table.add(CategoriesCommand.columns.map { $0.text(label) }) }
        #expect(
            table.lines == [
                "DIMENSION  LABEL  TITLE  DEFINED  DEVICES", "           1      News   yes      3",
                "region     kanot         no       10000 or more",
            ]
        )
    }
}

import ArgumentParser
import Foundation
import Testing

@testable import CarillonCommand

/// `carillon serve --help` and the table in the documentation against the settings that are read.
struct ServeHelpTests {
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/operations.md")

    /// The options in the help: flag and description.
    private static let options: [(flag: String, text: String)] = {
        let help = ServeCommand.helpMessage(includeHidden: true, columns: 10_000)
        let options = help.components(separatedBy: "OPTIONS:").last ?? ""
        return options.components(separatedBy: "\n  -").dropFirst().map { entry in
            let words = entry.split(whereSeparator: \.isWhitespace)
            return (flag: "--" + (words.first ?? "").drop { $0 == "-" }, text: words.joined(separator: " "))
        }
    }()

    @Test("Each setting has one flag in the help, with its environment variable and its key")
    func listsEachSetting() {
        for setting in ServerSetting.allCases {
            let flags = Self.options.filter {
                $0.text.contains("(\(setting.environmentVariable), \(setting.rawValue))")
            }
            #expect(flags.count == 1, "\(setting.rawValue): \(flags)")
        }
        // Each of the others is one of these.
        let others = Self.options.filter { option in
            !ServerSetting.allCases.contains { option.text.contains("(\($0.environmentVariable), ") }
        }
        #expect(others.map(\.flag) == ["--config", "--json", "--h,"])
    }

    @Test("No option that is taken is missing in the help")
    func hidesNothing() {
        #expect(ServeCommand.helpMessage() == ServeCommand.helpMessage(includeHidden: true))
    }

    @Test("Each environment variable in the help sets its setting", arguments: ServerSetting.allCases)
    func readsTheVariable(setting: ServerSetting) async throws {
        let settings = try await ServerSettings(
            flags: [:],
            environment: [setting.environmentVariable: "7"],
            file: nil
        )
        #expect(try settings.text(setting) == "7")
    }

    @Test("The table in docs/operations.md has a row for each setting, with its variable and flag")
    func documentsEachSetting() throws {
        let text = try String(contentsOf: Self.docs, encoding: .utf8)
        let section = text.components(separatedBy: "\n## Settings\n").last?.components(separatedBy: "\n## ").first ?? ""
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == ServerSetting.allCases.count)
        for setting in ServerSetting.allCases {
            let option = try #require(Self.options.first { $0.text.contains("(\(setting.environmentVariable), ") })
            let row = rows.first { $0.hasPrefix("| `\(setting.rawValue)` |") }
            #expect(
                row?.contains("| `\(option.flag)` | `\(setting.environmentVariable)` |") == true,
                "\(setting.rawValue)"
            )
        }
    }
}

import Foundation
import Testing

@Suite("The privacy manifest")
struct PrivacyTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func manifest(of target: String = "Carillon") throws -> [String: Any] {
        let file = Self.root.appendingPathComponent("Sources/\(target)/PrivacyInfo.xcprivacy")
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        return try #require(list as? [String: Any])
    }

    @Test("The privacy manifest declares no tracking") func declaresNoTracking() throws {
        let manifest = try manifest()
        let types = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])

        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
        #expect(types.allSatisfy { $0["NSPrivacyCollectedDataTypeTracking"] as? Bool == false })
    }

    @Test("The privacy manifest names exactly the data that the guide lists as sent") func matchesTheGuide() throws {
        let manifests = [
            try manifest(), try manifest(of: "CarillonLocation"), try manifest(of: "CarillonAccounts"),
            try manifest(of: "CarillonContent"),
        ]
        let types = try manifests.flatMap { try #require($0["NSPrivacyCollectedDataTypes"] as? [[String: Any]]) }
        let names = types.compactMap { $0["NSPrivacyCollectedDataType"] as? String }
        let file = Self.root.appendingPathComponent("docs/app-developer-guide.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## What is sent").last)
        let guide = try #require(section.components(separatedBy: "\n## ").first)

        #expect(names.count == types.count && !names.isEmpty)
        for name in names {
            #expect(guide.contains("`" + name.dropFirst("NSPrivacyCollectedDataType".count) + "`"))
        }
        let table = guide.components(separatedBy: "\n").filter { $0.hasPrefix("|") && $0.hasSuffix("` |") }
        for row in table {
            let word = row.split(separator: "`").dropLast().last.map(String.init) ?? ""
            #expect(names.contains("NSPrivacyCollectedDataType" + word), "the manifest does not name \(word)")
        }
        #expect(table.count >= names.count)
    }

    @Test("Only the target that reads the location declares it") func declaresLocationApart() throws {
        let names = try ["Carillon", "CarillonLocation"].map { target in
            let types = try manifest(of: target)["NSPrivacyCollectedDataTypes"] as? [[String: Any]]
            return types?.compactMap { $0["NSPrivacyCollectedDataType"] as? String } ?? []
        }

        #expect(!names[0].contains("NSPrivacyCollectedDataTypePreciseLocation"))
        #expect(names[1] == ["NSPrivacyCollectedDataTypePreciseLocation"])
    }

    @Test("The privacy manifest gives the reason for reading file metadata") func explainsFileMetadata() throws {
        let accessed = try manifest()["NSPrivacyAccessedAPITypes"] as? [[String: Any]]

        #expect(accessed?.count == 1)
        #expect(accessed?.first?["NSPrivacyAccessedAPIType"] as? String == "NSPrivacyAccessedAPICategoryFileTimestamp")
        #expect(accessed?.first?["NSPrivacyAccessedAPITypeReasons"] as? [String] == ["C617.1"])
    }

    @Test("S1-m10 no target uses the user defaults, for which a manifest would need a reason")
    func usesNoUserDefaults() throws {
        let targets = [
            "Carillon", "CarillonAccountModel", "CarillonAccounts", "CarillonCalls", "CarillonContent",
            "CarillonLocation",
            "CarillonModel", "CarillonPages",
            "CarillonServiceExtension",
            "Facades",
        ]
        for target in targets {
            let folder = Self.root.appendingPathComponent("Sources/\(target)")
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(!text.contains("UserDefaults"), "\(file.lastPathComponent)")
            }
        }
    }
}

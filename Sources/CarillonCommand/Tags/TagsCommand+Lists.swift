import ArgumentParser
import CarillonModel
import Foundation

extension TagsCommand {
    struct ChangeList: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change-list",
            abstract: "Give a tag to the users of a file, or take it from them.",
            discussion: """
                The file has one id a line, at most 100,000. Users who are unknown are listed and not changed.

                carillon tags change-list ZZPP00b6 users.txt
                carillon tags change-list ZZPP00b6 users.txt --remove
                """
        )

        @OptionGroup var named: NamedTag

        @Argument(help: "A file with one user id a line; - for the standard input.", completion: .file())
        var file: String

        @Flag(help: "Take the tag from the users.")
        var remove = false

        func run() async throws {
            let answer = try await named.options.run { api -> JSONValue in
                let body = UploadBody.data(try InputFile.contents(of: file))
                let app = try await named.options.appID(api)
                let query: [String: String?] = [APIName.app: "\(app)", "change": remove ? "remove" : "add"]
                let path: APIPath = "/v1/tags/\(named.tag)/user-list"
                return try await api.upload(path.resolved(app: nil), query, body, contentType: "text/plain")
            }
            let problems = [Column("LINE", "line"), Column("USER", "user"), Column("PROBLEM", "reason")]
            try named.options.show(answer, listing: [("problems", problems)])
        }
    }

    struct Merge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give the users of a tag another one in its place, and delete the tag.",
            discussion: "Rules do not follow: change those that name the tag before."
        )

        @OptionGroup var named: NamedTag

        @Option(help: "The id of the tag that stays.")
        var into: String

        func run() async throws {
            let answer = try await named.options.run { api -> JSONValue in
                let app = try await named.options.appID(api)
                let path: APIPath = "/v1/tags/\(named.tag)/merge"
                let body = JSONValue.object(["into": .string(into)])
                var users = 0
                while true {
                    let answer: JSONValue = try await api.post(path.resolved(app: nil), [APIName.app: "\(app)"], body)
                    users += Int(answer.object?["users"]?.integer ?? 0)
                    // A request moves some of them, so that it is answered soon.
                    guard answer.object?["isComplete"] == .bool(false) else {
                        return .object(["users": .integer(Int64(users)), "isComplete": .bool(true)])
                    }
                }
            }
            try named.options.show(answer, listing: [])
        }
    }
}

import CarillonImporters
import CarillonModel
import CarillonReaders
import Testing

/// Files that were made to cost memory or time, and files of another kind than their name says.
@Suite struct HostileFileTests {
    private func read(_ text: String) -> [String] {
        var reader = ObjectReader(wanted: ["a"], envelopes: ["items"])
        var items: [String] = []
        let note = { (item: ObjectReader.Item) in
            switch item {
            case .names: break
            case .object(let line, let members, _): items.append("\(line) \(members["a"]?.plainText ?? "-")")
            case .problem(let line, let problem): items.append("\(line) ! \(problem)")
            }
        }
        Array(text.utf8).withUnsafeBufferPointer { reader.read($0, note) }
        reader.finish(note)
        return items
    }

    @Test("X-18 Names without values count as what is held") func boundsNames() {
        let names = String(repeating: "\"a\":,", count: 1_000_000)

        #expect(read("{\(names)}\n{\"a\":2}\n") == ["1 ! has more than 1048576 bytes that are needed", "2 2"])
    }

    @Test("X-18 Brackets without end are held to a depth", arguments: ["a", "b"])
    func boundsDepth(_ name: String) {
        let brackets = String(repeating: "[", count: 1_000_000)

        #expect(read("{\"\(name)\":\(brackets)\n{\"a\":2}\n") == ["1 ! is nested more than 512 deep", "2 2"])
        let closed = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        #expect(read("[{\"\(name)\":\(closed)},{\"a\":2}]") == ["1 ! is nested more than 512 deep", "1 2"])
    }

    @Test("X-17 An element of an array that is no object costs that element") func boundsElements() {
        let wrong = ["null", "1", "\"x,]{\"", "[1,{\"a\":9}]", "tr}ue"]
        let problem = "1 ! is not a JSON object"

        let items = read("{\"items\":[{\"a\":1},\(wrong.joined(separator: ",")),{\"a\":2}],\"n\":1}")

        // A stray bracket ends one element and begins another.
        #expect(items == ["1 1"] + Array(repeating: problem, count: 6) + ["1 2"])
        #expect(read("[null]") == [problem])
        #expect(read("[7") == [problem, "1 ! ends before its array does"])
    }

    @Test("A person's line with thousands of tokens and devices takes linear work", .timeLimit(.minutes(1)))
    func joinsPhones() {
        let (count, phones) = (6_000, 15_000)
        let digits = token(1).prefix(16)
        let tokens = (0..<count).map {
            "{\"platform\":\"ios\",\"token\":\"\(digits)\",\"device_id\":\"d\(phones - count + $0)\"}"
        }
        let devices = (0..<phones).map { "{\"device_id\":\"d\($0)\",\"model\":\"m\($0)\"}" }
        let line =
            "{\"push_tokens\":[\(tokens.joined(separator: ","))],\"devices\":[\(devices.joined(separator: ","))]}"

        let found = Reading(BrazeFormat(options()), line).devices

        #expect(found.count == count)
        #expect(found.last?.registration.model == "m\(phones - 1)")
    }

    @Test("X-12 A thousand attribute columns become their attributes") func joinsColumns() {
        let names = (0..<1_000).map { "User.UserAttributes.x" + ($0 < 990 ? "" : "\($0)") }
        let values = (0..<1_000).map { "\($0)" }
        let text =
            "ChannelType,Address,User.UserId,\(names.joined(separator: ","))\nAPNS,\(token(1)),u,"
            + values.joined(separator: ",") + "\n"

        let attributes = Reading(PinpointFormat(options()), text).devices.first?.attributes

        #expect(attributes?["x995"] == .string("995"))
        #expect(attributes?["x"] == nil, "Its 990 values are more than 256 characters.")
    }

    @Test(
        "A file that is compressed otherwise is refused by the name of the program",
        arguments: [
            ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), ([0xFD, 0x37, 0x7A, 0x58], "xz"), ([0x42, 0x5A, 0x68, 0x39], "bzip2"),
        ] as [([UInt8], String)]
    )
    func namesCompressors(_ head: [UInt8], _ program: String) {
        let reading = Reading(OneSignalFormat(options()), head + Array(repeating: 0, count: 20))

        #expect(reading.failure as? TextInput.Objection == .compressed(by: program))
        let twice = Reading(OneSignalFormat(options()), gzipped(gzipped("identifier\n".utf8)))
        #expect(twice.failure as? TextInput.Objection == .compressed(by: "gzip twice"))
    }

    private static let channels = "{\"ok\":true,\"channels\":[{\"channel_id\":\"c\",\"push_address\":\"\(token(1))\"}]}"
    private static let person = "{\"external_id\":\"u\",\"push_tokens\":[]}"

    @Test("X-21 A file of JSON is told by its names") func tellsOtherServices() {
        func problem(_ format: some SourceFormat, _ text: String) -> String? {
            (Reading(format, text).failure as? SourceProblem)?.description
        }
        let some = options(consent: true)

        #expect(
            problem(BrazeFormat(some), Self.channels)
                == "is not of Braze; it looks like Airship's: carillon import airship"
        )
        #expect(
            problem(AirshipFormat(some), Self.person)
                == "is not of Airship; it looks like Braze's: carillon import braze"
        )
        #expect(
            problem(OneSignalFormat(some), Self.person)
                == "has JSON; OneSignal's export is a table; it looks like Braze's: carillon import braze"
        )
        #expect(problem(TokensFormat(some), "[\"\(token(1))\"]") == "has JSON; A plain file's export is a table")
        #expect(problem(AirshipFormat(some), Self.channels) == nil)
        #expect(problem(BrazeFormat(some), Self.person) == nil)
        let both = "{\"deviceType\":\"ios\",\"installationId\":\"i\",\"push_tokens\":[]}"
        #expect(problem(ParseFormat(some), both) == nil, "An app's own field may have another service's name.")
        #expect(problem(BrazeFormat(some), "{\"x\":1}") == nil, "A line without any name of it is refused alone.")
    }

    @Test("X-14 Unknown columns are counted, and kept if asked", arguments: [false, true])
    func keepsUnknownColumns(_ isKept: Bool) throws {
        let text = "identifier,device_type,Shoe Size,Hat\n\(token(1)),0,44,\n\(token(2)),0,,\n\(token(3)),0,45,big\n"
        var reader = SourceReader(OneSignalFormat(options()), keepsUnread: isKept)

        try Array(text.utf8).withUnsafeBufferPointer { try reader.read($0) { _, _ in } }
        try reader.finish { _, _ in }

        #expect(reader.unread.names == ["Shoe Size", "Hat"])
        #expect(reader.unread.counts == [2, 1])
        let rows = reader.takeUnread()
        #expect(rows.map(\.line) == (isKept ? [2, 4] : []))
        #expect(rows.map(\.fields) == (isKept ? [["Shoe Size": "44"], ["Shoe Size": "45", "Hat": "big"]] : []))
        #expect(reader.takeUnread().isEmpty)
    }

    @Test("Only a pointer's user stands behind a dollar sign", arguments: ["_p_user", "email"])
    func readsUsers(_ field: String) {
        let text = "{\"deviceType\":\"ios\",\"deviceToken\":\"\(token(1))\",\"\(field)\":\"a$b\"}"

        let reading = Reading(ParseFormat(options(consent: true) { $0.columns["user"] = field }), text)

        #expect(reading.devices.map(\.registration.user?.rawValue) == [field == "email" ? "a$b" : "b"])
    }

    private func job(_ text: String) -> String {
        do throws(SourceProblem) {
            let job = try PinpointJob(Array(text.utf8))
            return "\(job.pieces) \(job.endpoints.map(String.init) ?? "-")"
        } catch {
            return error.description
        }
    }

    @Test("X-59 A job's failed and missing pieces and endpoints are said") func readsJobs() {
        let whole =
            #"{"JobStatus":"COMPLETED","CompletedPieces":3,"TotalPieces":3,"FailedPieces":0,"TotalProcessed":9}"#

        #expect(job(whole) == "3 9")
        #expect(job("{\"ExportJobResponse\":\(whole)}") == "3 9")
        #expect(job(#"{"JobStatus":"COMPLETED","CompletedPieces":3}"#) == "3 -")
        #expect(job(#"{"JobStatus":"FAILED","CompletedPieces":2,"FailedPieces":1}"#).contains("1 pieces failed"))
        #expect(job(#"{"JobStatus":"COMPLETED","CompletedPieces":2,"FailedPieces":1}"#).contains("1 pieces failed"))
        #expect(job(#"{"JobStatus":"COMPLETED","CompletedPieces":2,"TotalPieces":3}"#).contains("2 of 3 pieces"))
        #expect(job(#"{"JobStatus":"PROCESSING","CompletedPieces":2}"#).contains("the job is PROCESSING"))
        #expect(job("{}").contains("has no JobStatus"))
        let known = try? PinpointJob(Array(whole.utf8))
        #expect(known?.objection(files: 3) == nil && known?.objection(files: 2) != nil)
        #expect(known?.objection(rows: 9) == nil && known?.objection(rows: 8)?.contains("8 rows") == true)
        #expect(PinpointJob(pieces: 1).objection(rows: 0) == nil)
    }
}

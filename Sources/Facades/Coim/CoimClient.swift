import Carillon
import CarillonModel
import FacadeSupport
import Foundation

/// Makes requests of calls.
struct CoimClient: Sendable {
    let configuration: CoimConfiguration
    let sessions: CoimSessions
    let transport: any Transport
    private let dependencies: FacadeDependencies

    /// - Throws: ``CoimError`` when the Info.plist lacks something.
    init(_ dependencies: FacadeDependencies, server: URL?) throws {
        configuration = try CoimConfiguration(dependencies, server: server)
        sessions = CoimSessions(dependencies.memory, place: configuration.base.absoluteString)
        transport = dependencies.transport(
            CarillonConfiguration(server: configuration.server, appKey: configuration.appKey)
        )
        self.dependencies = dependencies
    }

    // MARK: - Calls

    func operation(_ address: String, _ parameters: [AnyHashable: Any]?) throws -> CoimCall {
        try call(.operation, CoimAddress(address), CoimParameters(parameters), sessions.current())
    }

    func login(_ address: String, _ parameters: [AnyHashable: Any]?) throws -> CoimCall {
        var parameters = try CoimParameters(parameters)
        let account = try parameters.text("accName")
        try parameters.salt(["passwd"], account: account)
        return try call(.login(account: account), CoimAddress(address), parameters, sessions.current())
    }

    func registration(_ parameters: [AnyHashable: Any]?) throws -> CoimCall {
        var parameters = try CoimParameters(parameters)
        let account = try parameters.text("accName")
        try parameters.salt(["passwd", "passwd2"], account: account)
        if parameters.plain("_loc") == nil {
            let isChinese = dependencies.languages().first?.lowercased().hasPrefix("zh") == true
            parameters["_loc"] = isChinese ? "2" : "1"
        }
        return try call(.registration(account: account), CoimAddress(registerURL), parameters, sessions.current())
    }

    /// Activates an account that was made just now.
    func activation(_ id: String, account: String) throws -> CoimCall {
        let address = try CoimAddress(activateURL + "/" + CoimAddress.segment(id))
        return try call(.login(account: account), address, CoimParameters(nil), sessions.current())
    }

    func passwordChange(_ parameters: [AnyHashable: Any]?) throws -> CoimCall {
        var parameters = try CoimParameters(parameters)
        for name in ["oldPasswd", "passwd", "passwd2"] { _ = try parameters.text(name) }
        let session = try sessions.current()
        guard let account = session.account else { throw CoimError.wrongParameters("nobody is logged in") }
        try parameters.salt(["oldPasswd", "passwd", "passwd2"], account: account)
        return try call(.operation, CoimAddress("core/user/updPasswd"), parameters, session)
    }

    /// Ends the session, here and at the server.
    func logout(_ address: String) throws -> CoimCall {
        let address = try CoimAddress(address)
        let session = try sessions.current()
        sessions.end()
        return try call(.operation, address, CoimParameters(nil), session)
    }

    func upload(_ files: [Any], _ address: String, _ parameters: [AnyHashable: Any]?) throws -> CoimCall {
        let checked = try CoimParameters(parameters)
        guard !files.isEmpty else {
            guard checked.plain("dataURI") != nil else { throw CoimError.make(.noFile, "lack of files or dataURI") }
            return try operation(address, parameters)
        }
        guard let kind = checked.plain("nType") else { throw CoimError.wrongParameters("nType cannot be empty") }
        let attachments = try CoimAttachments(files)
        let (address, session) = (try CoimAddress(address), try sessions.current())
        // Without `_key`: the session proves the app.
        var body = MultipartBody()
        if let token = session.token { body.add("token", token) }
        body.add("nType", kind)
        if let title = checked.plain("title") { body.add("title", title) }
        for (number, file) in attachments.files.enumerated() { body.add("att\(number)", file) }
        body.end()
        var call = try call(.operation, address, body.data, body.contentType, session)
        call.reportsProgress = true
        return call
    }

    // MARK: - Private

    private func call(
        _ purpose: CoimCall.Purpose,
        _ address: CoimAddress,
        _ parameters: CoimParameters,
        _ session: CoimSessions.Snapshot
    ) throws -> CoimCall {
        var parameters = parameters
        parameters["_key"] = configuration.appKey
        parameters["token"] = session.token
        return try call(purpose, address, parameters.json(), "application/json", session)
    }

    private func call(
        _ purpose: CoimCall.Purpose,
        _ address: CoimAddress,
        _ body: Data,
        _ contentType: String,
        _ session: CoimSessions.Snapshot
    ) throws -> CoimCall {
        var headers = ["Content-Type": contentType, "User-Agent": "carillon-coim/" + CarillonVersion.current]
        headers["X-COIM-ClientKey"] = try clientKey()
        let request = TransportRequest(
            method: "POST",
            url: address.url(configuration.base),
            headers: headers,
            body: body,
            timeLimit: configuration.timeLimit
        )
        return CoimCall(purpose: purpose, request: request, session: session, operation: address.operation)
    }

    /// The id of this installation: random, and never the hardware's or the vendor's.
    ///
    /// - Throws: Any error while the storage cannot be read: another one must not be made then.
    private func clientKey() throws -> String {
        let name = "coim.clientKey"
        if let known: String = try dependencies.memory.read(name) { return known }
        let key = UUID().uuidString
        dependencies.memory.keep(value: key, name)
        return key
    }
}

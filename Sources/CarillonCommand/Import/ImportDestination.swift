import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Where an import goes: into a store that no server has open, or into a running server.
struct ImportDestination: ParsableArguments {
    @OptionGroup var options: OperatorOptions

    @Option(help: "The folder with the server's database.")
    var data: String?

    @Option(help: "A PostgreSQL database, postgres://…, in place of the folder.")
    var database: String?

    func validate() throws {
        _ = try options.namedApp()
        guard options.server == nil || !isIntoStore else {
            throw ValidationError("Give --server, or the store by --data or --database, not both.")
        }
    }

    /// Whether the store is named.
    private var isIntoStore: Bool { data != nil || database != nil }

    /// Whether it is imported over the API: a named store takes precedence over the environment.
    var isIntoServer: Bool {
        !isIntoStore
            && (options.server != nil || OperatorOptions.server(in: ProcessInfo.processInfo.environment) != nil)
    }

    /// Runs a closure on the store.
    ///
    /// - Throws: `CommandFailure`, in the words of an import.
    func withStore<Value>(_ body: (Stores, AppID) async throws -> Value) async throws -> Value {
        let opened = try openDatabase()
        defer { opened.close() }
        do {
            let stores = try await Stores(migrating: opened, now: SystemWallClock().now())
            return try await body(stores, try await appID(stores))
        } catch let error as EngineError {
            throw Self.failure(error)
        } catch let error as StoreError {
            throw Self.failure(.store(error))
        }
    }

    private func openDatabase() throws -> any Database {
        if let database {
            do {
                return try PostgreSQLDatabase(database)
            } catch {
                throw Self.failure(.store(error))
            }
        }
        let folder = DataFolder.url(configured: data, environment: ProcessInfo.processInfo.environment)
        let path = folder.appendingPathComponent("carillon.sqlite").path
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .missing,
                "There is no store at \(path). `carillon serve` creates one; --data names another folder, "
                    + "and --server a running server."
            )
        }
        var options = SQLiteDatabase.Options()
        options.sorterThreads = 2
        // An import reads each page once or twice, in order: mapped, the whole file would count as its memory.
        options.mappedSize = 0
        do {
            return try SQLiteDatabase(path: path, options: options)
        } catch {
            throw Self.failure(.store(error))
        }
    }

    private func appID(_ stores: Stores) async throws -> AppID {
        if let app = options.app.flatMap({ AppID($0) }) { return app }
        let apps = try await stores.apps.apps(after: nil, limit: 2)
        guard let only = apps.first, apps.count == 1 else {
            throw CommandFailure(
                apps.isEmpty ? .missing : .usage,
                apps.isEmpty
                    ? "The store has no App yet; make one first." : "The store has several Apps; name one with --app."
            )
        }
        return only.id
    }

    /// The failure of an import into a store.
    private static func failure(_ error: EngineError) -> any Error {
        switch error {
        case .notFound: CommandFailure(.missing, "There is no such App.")
        case .invalid, .invalidFields:
            CommandFailure(
                .data,
                "The file cannot be imported: \(error.fieldErrors.map(\.problem).joined(separator: "; "))."
            )
        case .store(.full):
            CommandFailure(
                .inputOutput,
                "The disk is full. Imported lines are stored; the same command can be run again."
            )
        default: CommandFailure.described(error)
        }
    }
}

extension OperatorAPI {
    /// Uploads a body or a file; the response follows after its end.
    ///
    /// - Throws: As ``call(_:_:_:body:contentType:)``.
    func upload<Answer: Decodable>(
        _ path: String,
        _ query: [String: String?],
        _ body: UploadBody,
        contentType: String
    ) async throws -> Answer {
        await openConnection()
        // The response follows at the end, an hour later for a file of hundreds of millions of lines.
        var request = self.request(to: try url(path, query), timeout: 86_400)
        request.httpMethod = "POST"
        request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization")
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        let (data, response) =
            switch body {
            case .file(let file): try await URLSession.shared.upload(for: request, fromFile: file)
            case .data(let bytes): try await URLSession.shared.upload(for: request, from: bytes)
            }
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Self.refusal(path, response, data) }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
}

extension OperatorAPI {
    /// A request with a timeout of its own between two parts of the exchange, in seconds.
    ///
    /// On Linux a timeout that is not set after the initialization does not count, and a minute does.
    func request(to url: URL, timeout: TimeInterval) -> URLRequest {
        var request = URLRequest(url: url)
        request.timeoutInterval = timeout
        return request
    }

    /// Opens the connection that the session's next request uses.
    ///
    /// On Linux a request that opens its connection is woken as long as it could write, which takes a processor while the
    /// server works; one on a connection that is there is not, unless its body comes from a file or has more than 64 KiB. A
    /// failure is the next request's to tell.
    func openConnection(of session: URLSession = .shared) async {
        guard let url = try? url("health", [:]) else { return }
        _ = try? await session.data(for: request(to: url, timeout: 10))
    }
}

/// What is uploaded.
enum UploadBody {
    case file(URL)
    case data(Data)
}

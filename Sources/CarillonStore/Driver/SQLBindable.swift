package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// A value that a statement's parameter may take.
package protocol SQLBindable {
    func bind(to statement: any SQLStatement, at index: Int)
}

extension Int64: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(self, at: index) }
}

extension Int: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(Int64(self), at: index) }
}

extension Bool: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(Int64(self ? 1 : 0), at: index) }
}

extension Double: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(self, at: index) }
}

extension String: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(self, at: index) }
}

extension [UInt8]: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        withUnsafeBytes { statement.bind($0, at: index) }
    }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        switch self {
        case .some(let value): value.bind(to: statement, at: index)
        case .none: statement.bindNull(at: index)
        }
    }
}

/// Ids, times and words of a fixed list are kept as what they wrap.
extension SQLBindable where Self: RawRepresentable, RawValue: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { rawValue.bind(to: statement, at: index) }
}

extension AppID: SQLBindable {}
extension CampaignID: SQLBindable {}
extension OccurrenceID: SQLBindable {}
extension APIKeyID: SQLBindable {}
extension DeviceNumber: SQLBindable {}
extension Timestamp: SQLBindable {}
extension UserID: SQLBindable {}
extension TagID: SQLBindable {}
extension TemplateID: SQLBindable {}

/// A Device's public id is kept as the UUID's 16 bytes.
extension DeviceID: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        withUnsafeBytes(of: rawValue.uuid) { statement.bind($0, at: index) }
    }
}

extension DeviceToken: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { bytes.bind(to: statement, at: index) }
}

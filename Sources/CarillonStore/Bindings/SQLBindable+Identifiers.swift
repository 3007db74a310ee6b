package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL
import Foundation

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
